#include "base/toml_text.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

std::string problem_of(const std::string& text) {
  const auto table = toml_from_text(text, "x.toml");
  return table ? "" : table.error().message;
}

TEST(TomlText, IsParsed) {
  const auto table = toml_from_text("a = 1 # comment\n[b.c]\nd = [\"x\", 'y']\n", "x.toml");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ((*table)["a"].value<int>(), 1);
  EXPECT_EQ((*table)["b"]["c"]["d"][1].value<std::string>(), "y");
}

TEST(TomlText, MistakesNameTheLine) {
  EXPECT_TRUE(problem_of("a = 1\nb = \n").starts_with("x.toml:2: \""))
      << problem_of("a = 1\nb = \n");
}

// Each of these took the whole stack.
TEST(TomlText, DeepKeysAndValuesAreSentences) {
  const std::string key = "a" + repeated(".a", 100'000);
  constexpr const char* kParts = "x.toml:2: a key has more than 100 parts";
  EXPECT_EQ(problem_of("\n[" + key + "]"), kParts);
  EXPECT_EQ(problem_of("\n[[" + key + "]]"), kParts);
  EXPECT_EQ(problem_of("\n" + key + " = 1"), kParts);
  EXPECT_EQ(problem_of("\nx = {" + key + " = 1}"), kParts);
  EXPECT_EQ(problem_of("\nx = " + repeated("[", 100'000)),
            "x.toml:2: values are nested more than 100 deep");
  EXPECT_EQ(problem_of("\nx = " + repeated("{a.a.a.a = ", 90)), kParts);  // 270 dots
  EXPECT_EQ(problem_of("\nx.y = [\n" + repeated("{a.a.a.a = [", 40)),
            "x.toml:3: a key has more than 100 parts");
}

TEST(TomlText, DotsInTextsAndCommentsAreNoParts) {
  const std::string dots(1000, '.');
  EXPECT_EQ(problem_of("# " + dots + " [[[ \" \n a = \"" + dots + "\\\"" + dots + "\"\n b = '" +
                       dots + "'\n c = \"\"\"\n" + dots + "\n\" [ {\"\"\"\n d = 1.5\n"),
            "");
  // Many lines, each of which is short.
  std::string lines;
  for (int i = 0; i < 1000; ++i) lines += "a" + std::to_string(i) + ".b.c = [1.5, {d.e = 2.5}]\n";
  EXPECT_EQ(problem_of(lines), "");
}

TEST(TomlText, ALargeFileIsNotRead) {
  EXPECT_EQ(problem_of(std::string((4 << 20) + 1, '\n')),
            "x.toml: a TOML file of more than 4 MiB is not read");
}

}  // namespace
}  // namespace strata
