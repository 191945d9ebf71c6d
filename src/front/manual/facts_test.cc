#include "manual/facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "manual/test_program.h"

namespace strata::manual {
namespace {

TEST(CommandFacts, AreFoundByTheirWords) {
  const CommandFacts program = test_program();
  EXPECT_EQ(*find_command(program, {}), &program);
  EXPECT_EQ(*find_command(program, {"list"}), &program.parts[1]);
  const auto wrong = find_command(program, {"lits"});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "there is no command \"lits\" (did you mean list?)");
  EXPECT_EQ(find_command(program, {"run", "fast"}).error().message, "there is no command \"fast\"");
}

TEST(CommandFacts, OfAllCommandsBeginWithTheProgram) {
  const CommandFacts program = test_program();
  const auto all = all_commands(program);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0], &program);
  EXPECT_EQ(all[2]->name, "tool list");
}

TEST(OptionFacts, SayWhetherTheyTakeFiles) {
  EXPECT_TRUE(OptionFacts{.value = "NAME=SHAPE|FILE"}.takes_file());
  EXPECT_TRUE(OptionFacts{.value = "DIR:DIR"}.takes_folder());
  EXPECT_FALSE(OptionFacts{.value = "NAME=SIZE"}.takes_file());
}

}  // namespace
}  // namespace strata::manual
