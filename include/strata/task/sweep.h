// The job behind `strata sweep`: many models × settings, each a separate benchmark. Results are
// lines that are appended to a file, so a sweep that was stopped continues where it left off.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/observer.h"
#include "strata/base/result.h"
#include "strata/report/sweep.h"
#include "strata/task/caller.h"

namespace strata {

// One call of `strata bench`, or of whatever the caller runs instead.
struct SweepJob {
  std::string key;                     // its name in the results: the arguments, in order
  std::vector<std::string> arguments;  // the model, then settings: `--batch`, `8`
};

struct SweepPlan {
  std::string name;
  std::vector<SweepJob> jobs;
};

// From TOML:
//   name = "threads"                       # optional
//   models = ["zoo:resnet18", "my.onnx"]   # files: relative to the plan's folder
//   [bench]                                # options of `strata bench`, compared with each other
//   engine = ["onnxruntime", "onnxruntime:opt=off"]
//   until = "2%"
//   [axes]                                 # every combination is a job of its own
//   batch = [1, 8]
// `folder` is put before models that are relative paths.
Result<SweepPlan> parse_sweep(std::string_view text, const std::string& file,
                              const std::string& folder);
Result<SweepPlan> read_sweep(const std::string& path);

// `2/8`: the second of eight parts, whose jobs are numbers 2, 10, 18, …
struct Shard {
  std::size_t index = 1, count = 1;
  bool has(std::size_t job) const { return job % count == index - 1; }
};
Result<Shard> parse_shard(std::string_view text);
// The jobs of one part.
std::vector<SweepJob> jobs_of(const SweepPlan& plan, const Shard& shard);

// The result of a job.
struct SweepAnswer {
  std::string json = {};     // bench_to_json(); empty: there is none
  std::string error = {};    // why it failed, one sentence; empty: it did not fail
  bool interrupted = false;  // nothing of it is kept
};

struct SweepRequest {
  std::vector<SweepJob> jobs;
  std::string output;  // results, one JSON object per line; created if it does not exist
  // Runs a job: in its own process, or by calling run_bench() with what the arguments mean. It is
  // called from several threads if several jobs run at once.
  std::function<SweepAnswer(const SweepJob& job, const std::atomic<bool>* stop)> run = {};
  // If `run` is empty: the words of a command that runs the job, the program first. It prints what
  // bench_to_json() gives.
  std::function<std::vector<std::string>(const SweepJob& job)> command = {};
  int at_once = 1;     // number of jobs; more than one disturb each other's times
  bool retry = false;  // run failed jobs again
  Caller caller = {};
};

// Runs a command to its end; what it prints is the answer. Exit code 130 means that it was
// interrupted.
SweepAnswer run_sweep_command(const std::vector<std::string>& command,
                              const std::atomic<bool>* stop = nullptr);

struct SweepOutcome {
  SweepResults results;                       // of the request's jobs, including earlier runs
  std::size_t before = 0, now = 0, left = 0;  // jobs done earlier, done now, still to do
  bool all_failed = false;                    // there are results, and all of them are failures
};

// Runs the jobs that have no result yet, and those whose model has changed since.
Result<SweepOutcome> run_sweep(const SweepRequest& request, const Observer& observer = {});

// The results of several files together. If a job is in several files, the first result that is not
// a failure is taken.
struct MergedSweeps {
  SweepResults results;
  std::size_t entries = 0, jobs = 0,
              failed = 0;             // results in all files; distinct jobs; failed jobs
  std::vector<std::string> cut = {};  // files whose last line was unfinished and is left out
};
// Writes the merged results to `output`, unless that is empty.
Result<MergedSweeps> merge_sweeps(std::span<const std::string> paths, const std::string& output);

}  // namespace strata
