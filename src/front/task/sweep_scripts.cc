#include "strata/task/sweep_scripts.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "base/visible.h"

namespace strata {

namespace {

// `results.jsonl` → `results.`, `.jsonl`
std::pair<std::string, std::string> around_number(const std::string& output) {
  const std::filesystem::path path(output);
  return {(path.parent_path() / path.stem()).string() + ".", path.extension().string()};
}

constexpr std::string_view kInMake =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/+,@-";

// For make, a dollar sign is doubled.
std::string for_make(const std::string& line) {
  std::string out;
  for (char c : line) out += c == '$' ? std::string("$$") : std::string(1, c);
  return out;
}

// Quotes do not help in a comment, nor in a line of make's.
Status check_words(const std::string& script, const SweepScript& parts) {
  for (const std::string& text :
       {parts.name, parts.output, parts.run("1/1", "x"), parts.merge("x", "x")})
    if (visible(text) != text)
      return failure(fmt::format("a script for {} cannot hold {}: it has control characters",
                                 script, in_quotes(text)),
                     ErrorKind::Usage);
  return {};
}

}  // namespace

std::string shell_word(const std::string& text) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/:=+,@%-";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

Result<std::string> slurm_script(const SweepScript& script) {
  if (Status status = check_words("Slurm", script); !status) return failure(status);
  const auto [before, after] = around_number(script.output);
  const std::string task = "$SLURM_ARRAY_TASK_ID";
  return fmt::format(
      "#!/bin/sh\n"
      "# {} jobs in {} parts; then: {}\n"
      "#SBATCH --job-name={}\n"
      "#SBATCH --array=1-{}\n"
      "#SBATCH --ntasks=1\n"
      "#SBATCH --exclusive\n"
      "#SBATCH --requeue\n"
      "set -eu\n"
      "exec {}\n",
      script.jobs, script.parts,
      script.merge(shell_word(before) + "*" + shell_word(after), shell_word(script.output)),
      shell_word(script.name), script.parts,
      script.run(fmt::format("\"{}/{}\"", task, script.parts),
                 fmt::format("{}\"{}\"{}", shell_word(before), task, shell_word(after))));
}

Result<std::string> make_script(const SweepScript& script) {
  if (Status status = check_words("make", script); !status) return failure(status);
  // Make has no way to quote the name of a file.
  if (script.output.find_first_not_of(kInMake) != script.output.npos)
    return failure(fmt::format("a script for make cannot hold the file {}: take letters, digits "
                               "and ._/+,@- only",
                               in_quotes(script.output)),
                   ErrorKind::Usage);
  const auto [before, after] = around_number(script.output);
  std::string files;
  for (std::size_t i = 1; i <= script.parts; ++i)
    files += fmt::format("{}{}{}{}", i == 1 ? "" : " ", before, i, after);
  const std::string target = "\x01";  // stands for $@ until dollar signs are doubled
  const auto recipe = [&](std::string line) {
    line = for_make(line);
    if (const std::size_t at = line.find(target); at != line.npos) line.replace(at, 1, "$@");
    return line;
  };
  std::string text = fmt::format(
      "# {} jobs in {} parts: make -f THIS -j 1; a part that was interrupted goes on\n"
      ".PHONY: all {}\n"
      "all: {}\n"
      "{}: {}\n"
      "\t{}\n",
      script.jobs, script.parts, files, script.output, script.output, files,
      recipe(script.merge(files, target)));
  for (std::size_t i = 1; i <= script.parts; ++i)
    text += fmt::format("{}{}{}:\n\t{}\n", before, i, after,
                        recipe(script.run(fmt::format("{}/{}", i, script.parts), target)));
  return text;
}

}  // namespace strata
