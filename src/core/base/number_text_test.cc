#include "strata/base/number_text.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(NumberText, Grouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(300774272), "300,774,272");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
}

TEST(NumberText, Human) {
  EXPECT_EQ(human(0), "0");
  EXPECT_EQ(human(864), "864");
  EXPECT_EQ(human(999999), "1.000 M");
  EXPECT_EQ(human(3504872), "3.505 M");
  EXPECT_EQ(human(300774272), "300.8 M");
  EXPECT_EQ(human_bytes(512), "512 B");
  EXPECT_EQ(human_bytes(1536), "1.500 KiB");
  EXPECT_EQ(human_picojoules(168705408), "168.7 µJ");
  EXPECT_EQ(human_seconds(0), "0 s");
  EXPECT_EQ(human_seconds(0.0123), "12.30 ms");
  EXPECT_EQ(human_seconds(2.5e-10), "250.0 ps");
  EXPECT_EQ(human_seconds(0.99999), "1.000 s");
  EXPECT_EQ(human_seconds(75.25), "75.25 s");
}

TEST(NumberText, Formulas) {
  const Expr n = Expr::symbol("N"), s = Expr::symbol("S");
  EXPECT_EQ(expr_text(n * 300774272, NumberStyle::Plain, false), "300.8 M·N");
  EXPECT_EQ(expr_text(n * 300774272, NumberStyle::Plain, true), "300,774,272·N");
  EXPECT_EQ(expr_text(n, NumberStyle::Plain, false), "N");
  EXPECT_EQ(expr_text(n * s * 2048 - n, NumberStyle::Plain, true), "2,048·N·S - N");
  EXPECT_EQ(expr_text(Expr::unknown(), NumberStyle::Plain, false), "?");
  // Each part of a maximum has its own unit.
  const Expr most = max(max(n * 2048, s * 512), n * s * 8 + n * 32);
  EXPECT_EQ(expr_text(most, NumberStyle::Bytes, false),
            "max(8 B·N·S + 32 B·N, 2.000 KiB·N, 512 B·S)");
  EXPECT_EQ(expr_text(most, NumberStyle::Bytes, true), "max(8·N·S + 32·N, 2,048·N, 512·S)");
}

TEST(NumberText, DisplayWidth) {
  EXPECT_EQ(display_width("1×3×224"), 7u);
  EXPECT_EQ(display_width(""), 0u);
  EXPECT_EQ(display_width("×××××××××"), 9u);
  EXPECT_EQ(display_width("abcdefg×hijklmnopµ…"), 19u);
  EXPECT_EQ(display_width("\xf0\x9f\x98\x80 eight by"), 11u);
}

}  // namespace
}  // namespace strata
