// A text that is worded once and looked up again is the same as shown_text() of each cell.
#include "document/shown_texts.h"

#include <gtest/gtest.h>

#include <random>

#include "document/cell_text.h"
#include "strata/base/number_text.h"

namespace strata {
namespace {

// Cells of every kind, of which many are equal or nearly so.
Cell drawn(std::mt19937& random) {
  const auto number = static_cast<std::int64_t>(random() % 40);
  const auto how = random() % 3 == 0 ? Certainty::LowerBound : Certainty::Exact;
  switch (random() % 9) {
    case 0:
      return {Expr(number * 1000), how};
    case 1:
      return {Expr::symbol("N") * Expr(number) + Expr(1), how};
    case 2:
      return {static_cast<double>(number) / 7, how};
    case 3:
      return {Expr::unknown(), random() % 2 == 0 ? Certainty::Unknown : Certainty::Exact};
    case 4:
      return Cells{Shape(Dims{number, 3})};
    case 5:
      return Cells{Shape(Dims{number}), Shape(Dims{3})};  // other shapes of the same sizes
    case 6:
      return random() % 2 == 0 ? Cells{Shape()} : Cells{};
    case 7:
      return "layer\x1b." + std::to_string(number);
    default:
      return Cell();
  }
}

TEST(CellText, SaysWhereATimeIs) {
  const Cell fused = meaning(Meaning::Elsewhere, {}), absent = meaning(Meaning::Nowhere, {});
  EXPECT_EQ(cell_text(fused, Unit::Seconds, false), "fused");
  EXPECT_EQ(cell_text(absent, Unit::Seconds, false), "–");
  EXPECT_EQ(cell_text(fused, Unit::Percent, false), "");
  EXPECT_EQ(cell_text({}, Unit::Seconds, false), "?");
  EXPECT_EQ(cell_text(meaning(Meaning::Elsewhere, 2.0), Unit::Seconds, false), "2.000 s");
}

TEST(ShownTexts, AreThoseOfTheCells) {
  for (const std::size_t expected : {0, 100000})  // without and with a memory
    for (const Unit unit : {Unit::Text, Unit::Bytes, Unit::Percent})
      for (const bool exact : {false, true}) {
        std::mt19937 random(1);
        ShownTexts texts(unit, exact, expected);
        std::vector<std::string> wanted;
        std::vector<ShownTexts::Id> ids;
        std::size_t widest = 0;
        for (int i = 0; i < 5000; ++i) {
          const Cell cell = drawn(random);
          wanted.push_back(shown_text(cell, unit, exact));
          widest = std::max(widest, display_width(wanted.back()));
          ids.push_back(texts.add(cell));
        }
        for (std::size_t i = 0; i < ids.size(); ++i) {
          EXPECT_EQ(texts.text(ids[i]), wanted[i]);
          EXPECT_EQ(texts.width(ids[i]), display_width(wanted[i]));
        }
        EXPECT_EQ(texts.widest(), widest);
      }
}

TEST(ShownTexts, AreKeptOnceIfTheyRepeat) {
  ShownTexts texts(Unit::Text, false, 100000);
  const auto conv = texts.add("Conv"), relu = texts.add("Relu");
  EXPECT_NE(conv, relu);
  EXPECT_EQ(texts.add("Conv"), conv);
  EXPECT_EQ(texts.add_text("Relu"), relu);
  EXPECT_FALSE(texts.are_empty());
  EXPECT_TRUE(ShownTexts(Unit::Text, false, 0).are_empty());
}

}  // namespace
}  // namespace strata
