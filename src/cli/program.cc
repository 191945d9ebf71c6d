#include "cli/program.h"

#include <string_view>

#include <fmt/format.h>

#include "base/nearest.h"
#include "cli/command.h"
#include "cli/outlet.h"
#include "cli/output.h"
#include "manual/advice.h"
#include "manual/help_text.h"
#include "options/options.h"

namespace strata::cli {

namespace {

int refuse(std::string_view first, const std::string& message) {
  if (first.empty() || first.starts_with('-') || is_command(first))
    complain(message);
  else
    complain(
        fmt::format("there is no command \"{}\"{}", first, did_you_mean(first, command_names())));
  say("Run strata --help, or a command with --help, for what there is.");
  return kUsage;
}

}  // namespace

int run_program(const std::vector<std::string>& words) {
  App program("what every layer of a neural network costs", "strata");
  program.set_version_flag("-V,--version", version_text());
  program.require_subcommand();
  const std::string_view first = words.empty() ? std::string_view() : words[0];
  const std::vector<Command> commands = add_commands(program, first);
  if (words.empty()) {
    std::string help = manual::short_help_text(program.facts());
    if (help.ends_with('\n')) help.pop_back();
    say(help);
    return kUsage;
  }
  std::vector<const char*> argv = {"strata"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  const auto shown = program.parse(static_cast<int>(argv.size()), argv.data());
  if (!shown) return refuse(first, shown.error().message);
  if (!shown->empty()) {  // --help, --version
    if (const Status status = write_output("", *shown); !status) {
      complain(status.error().message);
      return exit_code(status.error());
    }
    return kFine;
  }
  for (const std::string& notice : program.notices()) complain(notice);
  if (const auto effects = program.check_effects(); !effects) {
    complain(effects.error().message);
    return kUsage;
  }
  for (const Command& command : commands) {
    if (!command.app->parsed()) continue;
    auto result = command.run();
    if (result) return *result;
    complain(manual::advised(result.error()));
    return exit_code(result.error());
  }
  return kUsage;
}

}  // namespace strata::cli
