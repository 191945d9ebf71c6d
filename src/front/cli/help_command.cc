#include <memory>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/output.h"
#include "manual/help_text.h"
#include "manual/man_page.h"
#include "options/options.h"

namespace strata::cli {

namespace {

struct Options {
  std::vector<std::string> command;
  bool man = false, all = false;
  std::string save;
};

Status save_pages(const manual::CommandFacts& program, const std::string& folder) {
  for (const manual::CommandFacts* command : manual::all_commands(program)) {
    const std::string file = fmt::format("{}/{}.1", folder, manual::man_page_name(*command));
    const std::string page = manual::man_page(*command, program, version_text());
    if (Status status = write_output(file, page); !status) return status;
  }
  return {};
}

Result<int> run(const Options& options, const App& program) {
  const manual::CommandFacts facts = program.facts();
  const auto command = manual::find_command(facts, options.command);
  if (!command) return failure(command);
  if (!options.save.empty()) return ended(save_pages(facts, options.save));
  return ended(write_output("", options.man ? manual::man_page(**command, facts, version_text())
                                            : manual::help_text(**command, options.all)));
}

}  // namespace

Command add_help(App& program) {
  auto options = std::make_shared<Options>();
  App* app = program.add_subcommand("help", "explain a command");
  app->add({{"command", &options->command},
            {"--all", &options->all},
            {"--man", &options->man},
            {"--save", &options->save}});
  app->get_option("command")->suggest(command_names());
  return {app, [options, &program] { return run(*options, program); }};
}

}  // namespace strata::cli
