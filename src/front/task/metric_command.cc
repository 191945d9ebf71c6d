#include "task/metric_command.h"

#include <cmath>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "base/outside.h"
#include "data/npz_write.h"
#include "strata/base/scratch_folder.h"
#include "task/subprocess.h"

namespace strata {

namespace {

constexpr std::size_t kMaxShown = 200;

std::string last_line(std::string text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
    text.pop_back();
  if (const std::size_t at = text.rfind('\n'); at != text.npos) text.erase(0, at + 1);
  return text.substr(0, kMaxShown);
}

Result<double> number_in(const std::string& output) {
  const std::string text = last_line(output);
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty())
    return failure(Code::MetricCommand, {.detail = "printed nothing; it must print a number"});
  if (end != text.c_str() + text.size() || !std::isfinite(number))
    return failure(
        Code::MetricCommand,
        {.detail = fmt::format("printed {}, which is not a finite number", in_quotes(text))});
  return number;
}

}  // namespace

Result<double> run_metric_command(const std::string& command, const std::string& floats,
                                  const std::string& other) {
  if (Outside* caller = outside()) {
    MessageWriter about;
    about.put(floats);
    about.put(other);
    const Outside::Answer answer = caller->ask(OutsideWish::Judge, about);
    MessageReader in(answer.bytes);
    if (!in.taken<bool>()) return failure(in.taken<Error>());
    return in.taken<double>();
  }
  std::string script = "trap '' INT\n" + command;
  if (command.find('$') == command.npos) script += " \"$1\" \"$2\"";
  auto finished = run_program({"/bin/sh", "-c", script, "sh", floats, other});
  if (!finished) return failure(finished);
  if (finished->exit_code == 0) return number_in(finished->output);
  const std::string how = finished->signal != 0
                              ? fmt::format("was ended by signal {}", finished->signal)
                              : fmt::format("failed with exit code {}", finished->exit_code);
  const std::string said = last_line(finished->errors);
  return failure(Code::MetricCommand,
                 {.detail = how + (said.empty() ? "" : ": " + in_quotes(said))});
}

Result<JudgeOutputs> judge_by_command(const std::string& command) {
  auto created = ScratchFolder::create();
  if (!created) return failure(created);
  const auto folder = std::make_shared<ScratchFolder>(std::move(*created));
  return [folder, command](std::span<const HostTensor> floats,
                           std::span<const HostTensor> other) -> Result<double> {
    const std::string one = *folder / "floats.npz", two = *folder / "rounded.npz";
    if (auto status = write_npz(one, floats); !status) return failure(status);
    if (auto status = write_npz(two, other); !status) return failure(status);
    return run_metric_command(command, one, two);
  };
}

}  // namespace strata
