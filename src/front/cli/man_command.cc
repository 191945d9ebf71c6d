#include <cstdio>
#include <cstdlib>
#include <memory>

#include "cli/command.h"
#include "cli/output.h"
#include "manual/man_page.h"
#include "options/options.h"

namespace strata::cli {

namespace {

// Opens the page as `man` does; false if there is no such program.
bool show_in_man(const std::string& page) {
  if (std::system("command -v man >/dev/null 2>&1") != 0) return false;
  std::FILE* viewer = ::popen("man -l -", "w");
  if (viewer == nullptr) return false;
  std::fwrite(page.data(), 1, page.size(), viewer);
  return ::pclose(viewer) == 0;
}

Result<int> run(const std::vector<std::string>& words, const App& program) {
  const manual::CommandFacts facts = program.facts();
  const auto command = manual::find_command(facts, words);
  if (!command) return failure(command);
  const std::string page = manual::man_page(**command, facts, version_text());
  if (is_terminal_output() && show_in_man(page)) return kFine;
  return ended(write_output("", page));
}

}  // namespace

Command add_man(App& program) {
  auto words = std::make_shared<std::vector<std::string>>();
  App* app = program.add_subcommand("man", "open the manual page of a command");
  app->add({{"command", words.get()}});
  app->get_option("command")->suggest(command_names());
  return {app, [words, &program] { return run(*words, program); }};
}

}  // namespace strata::cli
