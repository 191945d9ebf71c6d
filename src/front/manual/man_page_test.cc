// tests/shell/ has mandoc judge the pages.
#include "manual/man_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "manual/test_program.h"

namespace strata::manual {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ManPage, HasTheSectionsThatPeopleLookFor) {
  const CommandFacts program = test_program();
  EXPECT_EQ(man_page_name(program.parts[0]), "tool-run");
  EXPECT_THAT(
      man_page(program.parts[0], program, "tool 1.2"),
      AllOf(HasSubstr(".TH tool-run 1 \"\" \"tool 1.2\" \"does one thing\"\n"),
            HasSubstr(".SH NAME\ntool\\-run \\- run a file\n"),
            HasSubstr(".SH SYNOPSIS\n\\fBtool run\\fR [\\fIOPTIONS\\fR] \\fIFILE\\fR"),
            HasSubstr(".SS Output\n.TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIFILE\\fR\nwhere it"),
            HasSubstr(".SH EXAMPLES\n.RS 4\n.nf\ntool run a.txt\n.fi\n.RE\n"),
            HasSubstr(".SH EXIT STATUS\n"), HasSubstr(".SH SEE ALSO\n\\fBtool\\fR(1)\n"),
            Not(HasSubstr(".SH ENVIRONMENT"))));
  EXPECT_THAT(man_page(program, program, "tool 1.2"),
              AllOf(HasSubstr(".SH SYNOPSIS\n\\fBtool\\fR [\\fIOPTIONS\\fR] \\fICOMMAND\\fR\n"),
                    HasSubstr(".TP\n\\fBtool\\-run\\fR(1)\nrun a file\n"),
                    HasSubstr(".SH ENVIRONMENT\n"), Not(HasSubstr("SEE ALSO"))));
}

TEST(ManPage, TextIsNoMacro) {
  CommandFacts program{.name = "tool", .about = "does one thing"};
  program.notes = ".npz files, and \\ in them\n'quotes'\n\nAnother paragraph\n";
  EXPECT_THAT(man_page(program, program, ""),
              HasSubstr(".SH NOTES\n\\&.npz files, and \\e in them\n\\&'quotes'\n.PP\nAnother"));
}

}  // namespace
}  // namespace strata::manual
