// A saved result, made again by the command and the options that it records.
#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/outlet.h"
#include "cli/output.h"
#include "cli/printable.h"
#include "cli/program.h"
#include "options/options.h"
#include "strata/report/results.h"

namespace strata::cli {

namespace {

struct RerunOptions {
  std::string result;
  std::string output;
  bool print = false;
};

// A result may come from somebody else, so what it names is not run unasked: options that write
// files are left out, and options that start programs or open libraries stop the rerun.
constexpr std::array<std::string_view, 6> kWriteFiles = {"--output", "--save", "--table",
                                                         "--plot",   "--emit", "--junit"};
constexpr std::array<std::string_view, 4> kRunCode = {"--metric-cmd", "--engine-path",
                                                      "--trust-model", "--engine-option"};

bool is_one_of(const std::string& option, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), option) != names.end();
}

// Quotes a word so that a shell reads it back unchanged.
std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("-_=./:,%+@").find(c) != std::string_view::npos;
  });
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string line_of(const std::vector<std::string>& words) {
  std::string line = "strata";
  for (const std::string& word : words) line += " " + quoted(word);
  return line;
}

Result<int> run_rerun(const RerunOptions& options) {
  const auto read = read_results({options.result});
  if (!read) return failure(read);
  const Document& document = read->front();
  if (document.command.empty())
    return failure(fmt::format("{} does not say which command made it", options.result));
  if (document.command.front() == "rerun" || !is_command(document.command.front()))
    return failure(fmt::format("{} was made by no command that can run again", options.result));
  const auto recorded = command_line(recorded_request(document.command, document.options));
  if (!recorded) return failure_in(options.result, recorded);
  Request request = recorded->request;
  std::erase_if(request.options,
                [](const RequestOption& one) { return is_one_of(one.name, kWriteFiles); });
  if (!options.output.empty()) request.options.push_back({"--output", {}, {options.output}});
  const auto again = command_line(request);
  if (!again) return failure_in(options.result, again);
  const std::string line = line_of(again->words);
  if (options.print) {
    if (Status status = write_output("", printable(line) + "\n"); !status) return failure(status);
    return kFine;
  }
  const auto code =
      std::find_if(request.options.begin(), request.options.end(),
                   [](const RequestOption& one) { return is_one_of(one.name, kRunCode); });
  if (code != request.options.end())
    return failure(
        fmt::format("{} was made with {}, which runs code of its own; if you trust it, "
                    "type: {}",
                    options.result, code->name, line));
  say(printable(line));
  return run_program(request);
}

}  // namespace

Command add_rerun(App& program) {
  auto options = std::make_shared<RerunOptions>();
  App* app = program.add_subcommand("rerun", "run the command of a saved result again");
  app->add(
      {{"result", &options->result}, {"--output", &options->output}, {"--print", &options->print}});
  return {app, [options] { return run_rerun(*options); }};
}

}  // namespace strata::cli
