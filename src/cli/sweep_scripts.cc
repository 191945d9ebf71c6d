// A sweep for more machines than one: scripts for schedulers that are there already.
#include <filesystem>

#include <fmt/format.h>

#include "cli/sweep_plan.h"

namespace strata::cli {

namespace {

// One word for a shell.
std::string quoted(const std::string& text) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/:=+,@%-";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// `results.jsonl` → `results.`, `.jsonl`
std::pair<std::string, std::string> around_number(const std::string& output) {
  const std::filesystem::path path(output);
  return {(path.parent_path() / path.stem()).string() + ".", path.extension().string()};
}

}  // namespace

std::string slurm_script(const SweepPlan& plan, const std::string& program,
                         const std::string& plan_path, const std::string& output,
                         std::size_t shards) {
  const auto [before, after] = around_number(output);
  return fmt::format(
      "#!/bin/sh\n"
      "# {} jobs in {} parts; then: {} merge {}*{} -o {}\n"
      "#SBATCH --job-name={}\n"
      "#SBATCH --array=1-{}\n"
      "#SBATCH --ntasks=1\n"
      "#SBATCH --exclusive\n"
      "#SBATCH --requeue\n"
      "set -eu\n"
      "exec {} sweep {} --shard \"$SLURM_ARRAY_TASK_ID/{}\" \\\n"
      "    -o {}\"$SLURM_ARRAY_TASK_ID\"{}\n",
      plan.jobs.size(), shards, quoted(program), quoted(before), quoted(after), quoted(output),
      quoted(plan.name), shards, quoted(program), quoted(plan_path), shards, quoted(before),
      quoted(after));
}

std::string make_script(const SweepPlan& plan, const std::string& program,
                        const std::string& plan_path, const std::string& output,
                        std::size_t shards) {
  // For make, a dollar sign is doubled. Names with spaces are beyond it.
  const auto escaped = [](const std::string& text) {
    std::string out;
    for (char c : quoted(text)) out += c == '$' ? std::string("$$") : std::string(1, c);
    return out;
  };
  const auto [before, after] = around_number(output);
  std::string parts;
  for (std::size_t i = 1; i <= shards; ++i) parts += fmt::format(" {}{}{}", before, i, after);
  std::string text = fmt::format(
      "# {} jobs in {} parts: make -f THIS -j 1; a part that was interrupted goes on\n"
      ".PHONY: all{}\n"
      "all: {}\n"
      "{}:{}\n"
      "\t{} merge{} -o $@\n",
      plan.jobs.size(), shards, parts, output, output, parts, escaped(program), parts);
  for (std::size_t i = 1; i <= shards; ++i)
    text += fmt::format("{}{}{}:\n\t{} sweep {} --shard {}/{} -o $@\n", before, i, after,
                        escaped(program), escaped(plan_path), i, shards);
  return text;
}

}  // namespace strata::cli
