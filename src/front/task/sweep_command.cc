// A job of a sweep as a process of its own.
#include <fmt/format.h>

#include "strata/report/bench.h"
#include "strata/task/sweep.h"
#include "task/subprocess.h"

namespace strata {

namespace {

constexpr int kInterrupted = 130;

// A program that ran to its end but measured nothing says why in its results only.
std::string reason_in(const std::string& json) {
  const auto run = bench_from_json(json, "");
  return run ? run->why_failed() : "";
}

}  // namespace

SweepAnswer run_sweep_command(const std::vector<std::string>& command,
                              const std::atomic<bool>* stop) {
  const auto finished = run_program(command, {.stop = stop});
  if (!finished) return {.error = finished.error().message};
  SweepAnswer answer{.json = finished->output, .interrupted = finished->exit_code == kInterrupted};
  if (finished->signal != 0) {
    answer.error = fmt::format("ended by signal {}", finished->signal);
  } else if (finished->exit_code != 0 || answer.json.empty()) {
    answer.error = finished->errors.empty() ? reason_in(answer.json) : last_words(finished->errors);
    if (answer.error.empty())
      answer.error = fmt::format("ended with code {} and no message", finished->exit_code);
  }
  return answer;
}

}  // namespace strata
