#include "document/wrap.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Wrap, BreaksBetweenWordsAndSetsIn) {
  EXPECT_EQ(wrapped("one two three\nfour", 8), "one two\n  three\nfour\n");
  EXPECT_EQ(wrapped("  one two three", 8), "  one\n    two\n    three\n");
  EXPECT_EQ(wrapped("as it is", 0), "as it is");
}

TEST(Wrap, KeepsUnitsBesideTheirNumbers) {
  EXPECT_EQ(wrapped("memory +50.0 %.", 14), "memory\n  +50.0 %.\n");
  EXPECT_EQ(wrapped("conv1 3.062 MiB, bn1", 13), "conv1\n  3.062 MiB,\n  bn1\n");
  // No unit stands after a word, and no number before a word that is none.
  EXPECT_EQ(wrapped("a layer M of 12 layers", 8), "a layer\n  M of\n  12\n  layers\n");
}

}  // namespace
}  // namespace strata
