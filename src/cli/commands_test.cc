#include "cli/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/options.h"

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
}

}  // namespace
}  // namespace strata::cli
