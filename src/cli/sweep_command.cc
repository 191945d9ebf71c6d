// Many models × settings, each a `strata bench` in a process of its own; what is done is
// in the results file, so a sweep that was stopped goes on where it was.
#include <unistd.h>
#include <atomic>
#include <chrono>
#include <ctime>
#include <mutex>
#include <set>
#include <thread>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/subprocess.h"
#include "cli/sweep_journal.h"
#include "cli/sweep_models.h"
#include "cli/sweep_plan.h"
#include "cli/sweep_table.h"
#include "strata/base/number_text.h"

namespace strata::cli {

namespace {

struct Options {
  std::string plan;
  std::string output;
  std::string shard = "1/1";
  std::string emit;
  std::string format = "table";
  std::size_t shards = 0;
  int jobs = 1;
  bool retry = false;
  bool list = false;
};

constexpr const char* kFooter =
    "A plan is TOML: models, options of `strata bench` that are compared with each other, and\n"
    "axes, of which every combination is a job of its own:\n"
    "  models = [\"zoo:resnet18\", \"mine.onnx\"]\n"
    "  [bench]\n"
    "  engine = [\"onnxruntime\", \"onnxruntime:opt=off\"]\n"
    "  until = \"2%\"\n"
    "  [axes]\n"
    "  batch = [1, 8]\n"
    "Results are added to PLAN.jsonl. Call it again, and what is missing is done.\n"
    "\n"
    "Examples:\n"
    "  strata sweep engines.toml\n"
    "  strata sweep engines.toml --shard 2/8 -o part2.jsonl\n"
    "  strata sweep engines.toml --emit slurm --shards 8 | sbatch\n"
    "  strata merge part*.jsonl -o all.jsonl";

// What goes into the results for one job; nullopt if it was interrupted.
std::optional<nlohmann::json> run_job(const SweepJob& job, const std::string& model_hash,
                                      const std::atomic<bool>& stop) {
  const auto start = std::chrono::steady_clock::now();
  nlohmann::json record;
  record["schema"] = 1;
  record["job"] = job.key;
  record["arguments"] = job.arguments;
  record["model_hash"] = model_hash;
  record["strata"] = version_text();
  record["started"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  std::vector<std::string> arguments{own_program(), "bench"};
  arguments.insert(arguments.end(), job.arguments.begin(), job.arguments.end());
  arguments.insert(arguments.end(), {"--format", "json"});
  const auto finished = run_program(arguments, {.stop = &stop});
  if (stop || (finished && finished->exit_code == kInterrupted)) return std::nullopt;
  record["seconds"] =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  record["error"] = nullptr;
  record["result"] = nullptr;
  if (!finished) {
    record["error"] = finished.error().message;
    return record;
  }
  auto result = nlohmann::json::parse(finished->output, nullptr, false);
  if (result.is_object()) record["result"] = std::move(result);
  if (finished->signal != 0)
    record["error"] = fmt::format("ended by signal {}", finished->signal);
  else if (finished->exit_code != 0 || record["result"].is_null())
    record["error"] = finished->errors.empty()
                          ? fmt::format("ended with code {} and no word", finished->exit_code)
                          : last_words(finished->errors);
  return record;
}

struct Done {
  std::size_t before = 0, now = 0, failed = 0, left = 0;
};

// The jobs of `pending`, so many at a time.
Result<Done> run_jobs(Journal& journal, SweepModels& models,
                      const std::vector<const SweepJob*>& pending, int at_once) {
  const StopOnInterrupt interrupt;
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
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
        if (interrupt.stopped() || !status || next == pending.size()) return;
        job = pending[next++];
        model_hash = models.hash(*job);
        if (terminal) fmt::print(stderr, "\r[{}/{}] {}\x1b[K", next, pending.size(), job->key);
      }
      const auto record = run_job(*job, model_hash, interrupt.flag());
      const std::lock_guard lock(mutex);
      if (!record || !status) return;
      status = journal.append(*record);
      ++done.now;
      if (!(*record)["error"].is_null()) ++done.failed;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < at_once; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (terminal) fmt::print(stderr, "\r\x1b[K");
  if (!status) return tl::unexpected(status.error());
  done.left = pending.size() - done.now;
  return done;
}

std::string default_output(const std::string& plan) {
  const std::size_t dot = plan.ends_with(".toml") ? plan.size() - 5 : plan.size();
  return plan.substr(0, dot) + ".jsonl";
}

Result<int> emit_script(const Options& options, const SweepPlan& plan) {
  const std::size_t shards =
      options.shards > 0 ? options.shards : std::max<std::size_t>(plan.jobs.size(), 1);
  const std::string text = options.emit == "slurm"
                               ? slurm_script(plan, "strata", options.plan, options.output, shards)
                               : make_script(plan, "strata", options.plan, options.output, shards);
  if (auto status = write_output("", text); !status) return tl::unexpected(status.error());
  return kFine;
}

Result<int> run(Options options) {
  auto plan = read_sweep(options.plan);
  if (!plan) return tl::unexpected(plan.error());
  auto shard = parse_shard(options.shard);
  if (!shard) return tl::unexpected(shard.error());
  if (options.output.empty()) options.output = default_output(options.plan);
  if (!options.emit.empty()) return emit_script(options, *plan);

  std::vector<const SweepJob*> ours;
  for (std::size_t i = 0; i < plan->jobs.size(); ++i)
    if (shard->has(i)) ours.push_back(&plan->jobs[i]);
  if (options.list) {
    std::string text;
    for (const SweepJob* job : ours) text += fmt::format("strata bench {}\n", job->key);
    if (auto status = write_output("", text); !status) return tl::unexpected(status.error());
    return kFine;
  }

  auto journal = Journal::open(options.output);
  if (!journal) return tl::unexpected(journal.error());
  if (journal->cut())
    fmt::print(stderr, "strata: {}: an unfinished last line was taken off; its job is done again\n",
               options.output);
  const std::vector<JournalEntry> before = merge_entries({journal->entries()});
  std::set<std::string> finished;
  for (const JournalEntry& entry : before)
    if (!options.retry || !entry.failed()) finished.insert(entry.job);
  SweepModels models;
  const std::set<std::string> changed = models.changed(ours, before);
  if (!changed.empty())
    fmt::print(stderr, "strata: {}: {} done again, as the model has changed since\n",
               options.output,
               changed.size() == 1 ? "1 job is" : fmt::format("{} jobs are", changed.size()));
  std::vector<const SweepJob*> pending;
  for (const SweepJob* job : ours)
    if (!finished.contains(job->key) || changed.contains(job->key)) pending.push_back(job);
  if (options.jobs > 1 && pending.size() > 1)
    fmt::print(stderr, "strata: --jobs {}: jobs that run at once disturb each other's times\n",
               options.jobs);
  auto done = run_jobs(*journal, models, pending, options.jobs);
  if (!done) return tl::unexpected(done.error());
  done->before = ours.size() - pending.size();

  std::set<std::string> keys;
  for (const SweepJob* job : ours) keys.insert(job->key);
  std::vector<JournalEntry> entries = merge_entries({journal->entries()});
  std::erase_if(entries, [&](const JournalEntry& entry) { return !keys.contains(entry.job); });
  std::string text = sweep_table(entries, options.format, terminal_width());
  if (options.format == "table") {
    text += fmt::format("\n{} of {} jobs done ({} of them before); results are in {}\n",
                        done->before + done->now, ours.size(), done->before, options.output);
    if (done->left > 0)
      text += fmt::format("{} left: the same command goes on with them\n", done->left);
  }
  if (auto status = write_output("", text); !status) return tl::unexpected(status.error());
  bool any = entries.empty();
  for (const JournalEntry& entry : entries) any = any || !entry.failed();
  if (done->left > 0) return kInterrupted;
  return any ? kFine : kFailed;
}

}  // namespace

Command add_sweep(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app = program.add_subcommand("sweep", "many models × settings; resumable");
  app->add_option("plan", options->plan, "what to run (TOML)")
      ->required()
      ->option_text("PLAN.toml");
  app->add_option("-o,--output", options->output, "results, added to (PLAN.jsonl)")
      ->option_text("FILE");
  app->add_option("--jobs", options->jobs, "at once (1: timing wants a quiet machine)")
      ->check(CLI::Range(1, 1024))
      ->option_text("N");
  app->add_option("--shard", options->shard, "only this part of the jobs: 2/8")->option_text("I/N");
  app->add_option("--emit", options->emit, "print a script for a scheduler instead")
      ->check(CLI::IsMember({"slurm", "make"}))
      ->option_text("slurm|make");
  app->add_option("--shards", options->shards, "parts of that script (one for each job)")
      ->check(CLI::Range(1, 1'000'000))
      ->option_text("N");
  app->add_flag("--retry", options->retry, "do jobs that failed once more");
  app->add_flag("--list", options->list, "print the jobs, run nothing");
  app->add_option("--format", options->format, "table, csv, md")
      ->check(CLI::IsMember({"table", "csv", "md"}))
      ->option_text("FORMAT");
  app->footer(kFooter);
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
