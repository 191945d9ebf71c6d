#include "manual/help_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "manual/test_program.h"

namespace strata::manual {
namespace {

using ::testing::HasSubstr;

TEST(HelpText, HasOptionsInTheirGroups) {
  EXPECT_EQ(help_text(test_program().parts[0]),
            R"(tool run: run a file

Usage: tool run [OPTIONS] FILE [WORD…]

Arguments:
  FILE                  what to run
  WORD…                 what it is told

Options:
  --fast                at once

Output:
  -o, --output FILE     where it goes
  --kind KIND           one of two: a or b, and this explanation is so long that
                        it takes two lines

Examples:
  tool run a.txt
)");
}

TEST(HelpText, OfAProgramListsItsCommands) {
  EXPECT_EQ(help_text(test_program()), R"(tool: does one thing

Usage: tool [OPTIONS] COMMAND

Commands:
  run                   run a file
  list                  what there is

Options:
  -h, --help            show this help
)");
}

TEST(HelpText, ShortOneEndsWithWhereToReadOn) {
  EXPECT_EQ(short_help_text(test_program()), R"(tool: does one thing

Usage: tool [OPTIONS] COMMAND

Commands:
  run                   run a file
  list                  what there is

To begin: `tool MODEL`, or `tool zoo:resnet50` without a file.
`tool help COMMAND` explains a command, `tool help` shows examples.
)");
}

TEST(HelpText, LongNamesHaveALineOfTheirOwn) {
  CommandFacts command{.name = "tool"};
  command.options = {
      {.name = "--much", .value = "NAME[:KEY=VALUE,…]", .help = "more", .group = "A"},
      {.name = "--20-columns", .value = "LETTERS", .help = "on one", .group = "A"}};
  EXPECT_THAT(help_text(command), HasSubstr("A:\n"
                                            "  --much NAME[:KEY=VALUE,…]\n"
                                            "                        more\n"
                                            "  --20-columns LETTERS  on one\n"));
}

}  // namespace
}  // namespace strata::manual
