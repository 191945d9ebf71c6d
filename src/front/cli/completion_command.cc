#include <memory>

#include "cli/command.h"
#include "cli/output.h"
#include "manual/completion.h"
#include "options/options.h"

namespace strata::cli {

namespace {

Result<int> run(const std::string& wanted, const App& program) {
  for (const manual::Shell& shell : manual::shells())
    if (shell.name == wanted) return ended(write_output("", shell.completion(program.facts())));
  return kFine;
}

}  // namespace

Command add_completion(App& program) {
  auto shell = std::make_shared<std::string>();
  App* app = program.add_subcommand("completion", "print a completion script for a shell");
  std::vector<std::string> names;
  for (const manual::Shell& one : manual::shells()) names.emplace_back(one.name);
  app->add({{"shell", shell.get()}});
  app->get_option("shell")->one_of(names);
  return {app, [shell, &program] { return run(*shell, program); }};
}

}  // namespace strata::cli
