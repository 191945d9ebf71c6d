#include "strata/task/sweep.h"

#include <chrono>
#include <ctime>
#include <mutex>
#include <set>
#include <thread>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/json_text.h"
#include "base/output_file.h"
#include "task/sweep_journal.h"
#include "task/sweep_models.h"

namespace strata {

namespace {

// Returns the results' entry for one job; nullopt if it was interrupted.
std::optional<nlohmann::json> run_job(const SweepRequest& request, const SweepJob& job,
                                      const std::string& model_hash,
                                      const std::atomic<bool>* stop) {
  const auto start = std::chrono::steady_clock::now();
  nlohmann::json record;
  record["schema"] = 1;
  record["job"] = job.key;
  record["arguments"] = job.arguments;
  record["model_hash"] = model_hash;
  record["strata"] = request.caller.program;
  record["started"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  const SweepAnswer answer =
      request.run ? request.run(job, stop) : run_sweep_command(request.command(job), stop);
  if (answer.interrupted || (stop != nullptr && stop->load())) return std::nullopt;
  record["seconds"] =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  record["error"] = nullptr;
  record["result"] = nullptr;
  auto result = sorted_json_from_text(answer.json);
  if (result.is_object()) record["result"] = std::move(result);
  if (!answer.error.empty())
    record["error"] = answer.error;
  else if (record["result"].is_null())
    record["error"] = "ended without a result";
  return record;
}

struct Done {
  std::size_t now = 0, left = 0;
};

// Runs the jobs of `pending`, several at a time.
Result<Done> run_jobs(const SweepRequest& request, Journal& journal, SweepModels& models,
                      const std::vector<const SweepJob*>& pending, const Observer& observer) {
  std::mutex mutex;
  std::size_t next = 0;
  Done done;
  Status status;
  const auto work = [&] {
    for (;;) {
      const SweepJob* job = nullptr;
      std::string model_hash;
      {
        const std::lock_guard lock(mutex);
        if (observer.stopped() || !status || next == pending.size()) return;
        job = pending[next++];
        model_hash = models.hash(*job);
        observer.show(fmt::format("[{}/{}] {}", next, pending.size(), job->key),
                      static_cast<double>(next - 1) / static_cast<double>(pending.size()));
      }
      const auto record = run_job(request, *job, model_hash, observer.stop);
      const std::lock_guard lock(mutex);
      if (!record || !status) return;
      status = journal.append(*record);
      ++done.now;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < request.at_once; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (!status) return failure(status);
  done.left = pending.size() - done.now;
  return done;
}

// Jobs that are not finished, or whose model has changed.
std::vector<const SweepJob*> pending_jobs(const SweepRequest& request, const Journal& journal,
                                          SweepModels& models, const Observer& observer) {
  const std::vector<JournalEntry> before = merge_entries({journal.entries()});
  std::set<std::string> finished;
  for (const JournalEntry& entry : before)
    if (!request.retry || !entry.failed()) finished.insert(entry.job);
  const std::set<std::string> changed = models.changed(request.jobs, before);
  if (!changed.empty())
    observer.say(
        fmt::format("{}: {} done again, as the model has changed since", request.output,
                    changed.size() == 1 ? "1 job is" : fmt::format("{} jobs are", changed.size())));
  std::vector<const SweepJob*> pending;
  for (const SweepJob& job : request.jobs)
    if (!finished.contains(job.key) || changed.contains(job.key)) pending.push_back(&job);
  if (request.at_once > 1 && pending.size() > 1)
    observer.say(
        observer.phrased(make_error(Code::JobsAtOnce, {.given = std::to_string(request.at_once)})));
  return pending;
}

}  // namespace

std::vector<SweepJob> jobs_of(const SweepPlan& plan, const Shard& shard) {
  std::vector<SweepJob> jobs;
  for (std::size_t i = 0; i < plan.jobs.size(); ++i)
    if (shard.has(i)) jobs.push_back(plan.jobs[i]);
  return jobs;
}

Result<SweepOutcome> run_sweep(const SweepRequest& request, const Observer& observer) {
  if (!request.run && !request.command)
    return failure("a sweep needs to be told how to run a job", ErrorKind::Usage);
  auto journal = Journal::open(request.output);
  if (!journal) return failure(journal);
  if (journal->cut())
    observer.say(fmt::format("{}: an unfinished last line was taken off; its job is done again",
                             request.output));
  SweepModels models;
  const auto pending = pending_jobs(request, *journal, models, observer);
  const auto done = run_jobs(request, *journal, models, pending, observer);
  if (!done) return failure(done);

  SweepOutcome outcome;
  outcome.before = request.jobs.size() - pending.size();
  outcome.now = done->now;
  outcome.left = done->left;
  std::set<std::string> keys;
  for (const SweepJob& job : request.jobs) keys.insert(job.key);
  std::vector<JournalEntry> entries = merge_entries({journal->entries()});
  std::erase_if(entries, [&](const JournalEntry& entry) { return !keys.contains(entry.job); });
  outcome.all_failed = !entries.empty();
  for (const JournalEntry& entry : entries)
    if (!entry.failed()) outcome.all_failed = false;
  outcome.results = gather(entries);
  return outcome;
}

Result<MergedSweeps> merge_sweeps(std::span<const std::string> paths, const std::string& output) {
  MergedSweeps out;
  std::vector<std::vector<JournalEntry>> files;
  for (const std::string& path : paths) {
    auto journal = read_journal(path);
    if (!journal) return failure(journal);
    if (journal->cut) out.cut.push_back(path);
    out.entries += journal->entries.size();
    files.push_back(std::move(journal->entries));
  }
  const std::vector<JournalEntry> merged = merge_entries(files);
  if (!output.empty()) {
    auto file = OutputFile::create(output, {FileForm::Lines});
    if (!file) return failure(file);
    for (const JournalEntry& entry : merged)
      if (auto status = file->write(json_text(entry.record, -1) + "\n"); !status)
        return failure(status);
    if (auto status = file->commit(); !status) return failure(status);
  }
  out.jobs = merged.size();
  for (const JournalEntry& entry : merged) out.failed += entry.failed() ? 1 : 0;
  out.results = gather(merged);
  return out;
}

}  // namespace strata
