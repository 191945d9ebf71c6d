// A sweep as a file: many models × settings, as jobs that do not need each other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strata/base/result.h"

namespace strata::cli {

// One call of `strata bench`.
struct SweepJob {
  std::string key;                     // what it is called in the results: the arguments, in order
  std::vector<std::string> arguments;  // of `strata bench`, without the name of the command
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
// `folder` stands before models that are relative paths.
Result<SweepPlan> parse_sweep(std::string_view text, const std::string& file,
                              const std::string& folder);
Result<SweepPlan> read_sweep(const std::string& path);

// `2/8`: the second of eight parts, whose jobs are numbers 2, 10, 18, …
struct Shard {
  std::size_t index = 1, count = 1;
  bool has(std::size_t job) const { return job % count == index - 1; }
};
Result<Shard> parse_shard(std::string_view text);

// The jobs of a plan as a script for a scheduler, so many parts. `plan` and `output` are
// paths as the script shall write them; results of part i go to `output` with `.i` put in.
std::string slurm_script(const SweepPlan& plan, const std::string& program,
                         const std::string& plan_path, const std::string& output,
                         std::size_t shards);
std::string make_script(const SweepPlan& plan, const std::string& program,
                        const std::string& plan_path, const std::string& output,
                        std::size_t shards);

}  // namespace strata::cli
