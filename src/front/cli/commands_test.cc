#include "cli/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "manual/help_text.h"
#include "options/options.h"
#include "strata/base/number_text.h"

namespace strata::cli {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Commands, EachIsFoundByTheNameThatItHas) {
  App all;
  const auto commands = add_commands(all, "--help");
  EXPECT_GT(commands.size(), 10u);
  for (const Command& command : commands) {
    const std::string name = command.app->name();
    EXPECT_TRUE(is_command(name)) << name;
    if (name == "help" || name == "man" || name == "completion")
      continue;  // which are about the others
    App program;
    const auto one = add_commands(program, name);
    ASSERT_THAT(one, SizeIs(1)) << name;
    EXPECT_EQ(one.front().app->name(), name);
  }
}

TEST(Commands, AWordThatNamesNoneGetsAll) {
  App program, other;
  EXPECT_FALSE(is_command("stats"));
  EXPECT_EQ(add_commands(program, "stats").size(), add_commands(other, "").size());
}

TEST(Commands, TheVersionNeedsNone) {
  App program;
  EXPECT_THAT(add_commands(program, "--version"), IsEmpty());
  EXPECT_THAT(add_commands(program, "-V"), IsEmpty());
}

TEST(Commands, HelpIsAboutAllOfThem) {
  App program("", "strata");
  add_commands(program, "help");
  std::vector<std::string> names;
  for (const manual::CommandFacts& command : program.facts().parts)
    names.push_back(command.name.substr(std::string("strata ").size()));
  EXPECT_EQ(names, command_names());
}

// CLI11 throws if two options of a command share a name. All are declared for a line of words, and
// only those that are given otherwise.
TEST(Commands, HaveEachNameOnce) {
  for (const std::string& name : command_names()) {
    App program("", "strata");
    add_commands(program, name);
    EXPECT_NO_THROW(EXPECT_TRUE(program.parse(name + " --help"))) << name;
  }
}

// Wider texts do not fit a usual terminal.
TEST(Commands, HelpFitsEightyColumns) {
  App program("", "strata");
  add_commands(program, "");
  const manual::CommandFacts facts = program.facts();
  for (const manual::CommandFacts* command : manual::all_commands(facts)) {
    std::istringstream help(manual::help_text(*command));
    for (std::string line; std::getline(help, line);)
      EXPECT_LE(display_width(line), 80u) << command->name << ": " << line;
  }
}

}  // namespace
}  // namespace strata::cli
