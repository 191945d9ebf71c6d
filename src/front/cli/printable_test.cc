#include "cli/printable.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Printable, NoNamePassesForALineOfTheProgram) {
  EXPECT_EQ(printable("layer \"a\nstrata: all is well\x1b[2K\""),
            "layer \"a\n  strata: all is well\\x1b[2K\"");
}

TEST(Printable, LinesThatAreSetInStayAsTheyAre) {
  EXPECT_EQ(printable("looked for\n  /a\n  /b"), "looked for\n  /a\n  /b");
}

}  // namespace
}  // namespace strata
