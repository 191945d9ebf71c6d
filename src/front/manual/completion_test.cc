// tests/shell/ tries the scripts in their shells.
#include "manual/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "manual/test_program.h"

namespace strata::manual {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Completion, OfBashKnowsWhatFollowsAnOption) {
  EXPECT_THAT(bash_completion(test_program()),
              AllOf(HasSubstr("\"tool run\" | \"tool list\") command="),
                    HasSubstr("\"tool run -o\" | \"tool run --output\") files=file ;;"),
                    HasSubstr("\"tool run --kind\") values=\"a b\" ;;"),
                    HasSubstr("\"tool run \"*) values=\"zoo:apple zoo:pear\" files=file ;;"),
                    HasSubstr("complete -F _tool tool\n")));
}

TEST(Completion, OfZshHasAFunctionForEachCommand) {
  EXPECT_THAT(zsh_completion(test_program()),
              AllOf(HasSubstr("#compdef tool\n"), HasSubstr("'--fast[at once]'"),
                    HasSubstr("'(-o --output)'{-o,--output=}'[where it goes]:FILE:_files'"),
                    HasSubstr("'1:FILE:_files'"), HasSubstr("run) _tool_run ;;")));
}

TEST(Completion, OfFishHasALineForEachOption) {
  EXPECT_THAT(
      fish_completion(test_program()),
      AllOf(HasSubstr("complete -c tool -n '__fish_seen_subcommand_from run' -l fast -d 'at once'"),
            HasSubstr(" -l output -s o -r -F -d 'where it goes'"),
            HasSubstr(" -l kind -x -a 'a b' -d 'one of two"),
            HasSubstr("-n 'not __fish_seen_subcommand_from run list' -a run -d 'run a file'")));
}

TEST(Completion, QuotesWhatShellsWouldRead) {
  CommandFacts program = test_program();
  program.parts[0].options = {
      {.name = "--engine", .value = "NAME[:KEY]", .help = "the user's [own]", .group = "Options"}};
  EXPECT_THAT(zsh_completion(program),
              HasSubstr(R"('--engine=[the user'\''s \[own\]]:NAME[\:KEY]: ')"));
  EXPECT_THAT(fish_completion(program), HasSubstr(R"(-d 'the user\'s [own]')"));
}

}  // namespace
}  // namespace strata::manual
