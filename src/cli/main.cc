#include <csignal>
#include <cstdio>
#include <exception>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/nearest.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/fatal.h"
#include "manual/advice.h"
#include "manual/help_text.h"
#include "options/options.h"

namespace {

int run(int argc, char** argv) {
  using namespace strata::cli;
  App program("what every layer of a neural network costs", "strata");
  program.set_version_flag("-V,--version", version_text());
  program.require_subcommand();
  const std::string_view first = argc > 1 ? argv[1] : "";
  const std::vector<Command> commands = add_commands(program, first);
  if (argc == 1) {
    fmt::print(stderr, "{}", strata::manual::short_help_text(program.facts()));
    return kUsage;
  }
  const auto shown = program.parse(argc, argv);
  if (!shown) {
    if (first.empty() || first.starts_with('-') || is_command(first))
      complain(shown.error().message);
    else
      complain(fmt::format("there is no command \"{}\"{}", first,
                           strata::did_you_mean(first, command_names())));
    fmt::print(stderr, "Run strata --help, or a command with --help, for what there is.\n");
    return kUsage;
  }
  if (!shown->empty()) {  // --help, --version
    std::fwrite(shown->data(), 1, shown->size(), stdout);
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
    complain(strata::manual::advised(result.error()));
    return exit_code(result.error());
  }
  return kUsage;
}

}  // namespace

int main(int argc, char** argv) {
  strata::cli::install_fatal_handlers();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like a full disk
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("strata: out of memory\n", stderr);
    return strata::cli::kFailed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "strata: a bug in strata: %s; please report it with the model's file\n",
                 error.what());
    return strata::cli::kBug;
  }
}
