#include "cli/program.h"

#include <filesystem>
#include <functional>
#include <string_view>

#include <fmt/format.h>

#include "base/nearest.h"
#include "cli/command.h"
#include "cli/outlet.h"
#include "cli/output.h"
#include "manual/advice.h"
#include "manual/help_text.h"
#include "options/options.h"
#include "strata/read/source.h"
#include "strata/zoo/zoo.h"

namespace strata::cli {

namespace {

constexpr const char* kAbout = "what every layer of a neural network costs";

// In the words of the audience, whose options may have other names.
int refuse(Error error) {
  error.message = manual::in_words_of(manual::audience(), error.message);
  fail(error);
  return kUsage;
}

std::string meant_by(std::string_view word) {
  return zoo::find(word) != nullptr ? fmt::format(" (did you mean {}{}?)", kZooPrefix, word)
                                    : did_you_mean(word, command_names());
}

int refuse_parsing(std::string_view first, const Error& error) {
  const bool is_known = first.empty() || first.starts_with('-') || is_command(first);
  refuse(is_known ? error
                  : make_error(Code::NoCommand,
                               {.name = std::string(first), .detail = meant_by(first)}));
  say(is_command(first) ? fmt::format("`strata {} --help` shows its options and examples.", first)
                        : "`strata --help` lists the commands.");
  return kUsage;
}

std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }

// `strata model.onnx` is `strata stat model.onnx`.
bool is_model(const std::string& first) {
  std::error_code error;
  return !is_command(first) && !first.starts_with('-') &&
         (Source(first).is_zoo() || std::filesystem::exists(first, error));
}

std::vector<std::string> with_command(const std::vector<std::string>& words) {
  std::vector<std::string> out = words;
  if (!out.empty() && is_model(out.front())) out.insert(out.begin(), "stat");
  return out;
}

// Runs the command that `parse` finds; its first word is known before.
int run(std::string_view first, const std::function<Result<std::string>(App&)>& parse) {
  App program(kAbout, "strata");
  program.set_version_flag("-V,--version", version_text());
  program.require_subcommand();
  const std::vector<Command> commands = add_commands(program, first);
  const auto shown = parse(program);
  if (!shown) return refuse_parsing(first, shown.error());
  if (!shown->empty()) {  // --help, --version
    if (const Status status = write_output("", *shown); !status) {
      complain(status.error().message);
      return exit_code(status.error());
    }
    return kFine;
  }
  for (const std::string& notice : program.notices()) complain(notice);
  if (const auto effects = program.check_effects(); !effects) return refuse(effects.error());
  for (const Command& command : commands) {
    if (!command.app->parsed()) continue;
    auto result = command.run();
    if (result) return *result;
    fail(result.error());
    return exit_code(result.error());
  }
  return kUsage;
}

int show_short_help() {
  App program(kAbout, "strata");
  program.set_version_flag("-V,--version", version_text());
  const auto commands = add_commands(program, "");  // what options set
  std::string help = manual::short_help_text(program.facts());
  if (help.ends_with('\n')) help.pop_back();
  say(help);
  return kUsage;
}

}  // namespace

int run_program(const std::vector<std::string>& given) {
  if (given.empty()) return show_short_help();
  const std::vector<std::string> words = with_command(given);
  std::vector<const char*> argv = {"strata"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  return run(words.front(), [&](App& program) {
    return program.parse(static_cast<int>(argv.size()), argv.data());
  });
}

int run_program(const Request& request) {
  return run(first_word(request.command), [&](App& program) { return program.parse(request); });
}

Result<CommandLine> command_line(const Request& request) {
  App program(kAbout, "strata");
  const auto commands = add_commands(program, first_word(request.command));  // what options set
  if (const auto parsed = program.parse(request); !parsed) return failure(parsed);
  const App& command = program.chosen();
  return CommandLine{recorded_request(command_of(command), given_options(command)),
                     given_words(command)};
}

}  // namespace strata::cli
