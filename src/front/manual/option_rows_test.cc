#include "manual/option_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/embedded.h"

namespace strata::manual {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(OptionRows, HaveNamesValueHelpAndProperties) {
  const auto rows = parse_option_rows(
      "# A comment.\n"
      "files FILE…\n"
      "    what to read: one or more,\n"
      "    in any order\n"
      "    - required\n"
      "-o,--output FILE\n"
      "    where it goes\n"
      "    - not to standard output\n"
      "    - was --out\n"
      "--metric NAME\n"
      "    - one of a, b\n"
      "    - list with commas\n"
      "    - group Measuring\n"
      "--passes SHARE\n"
      "    - unit share\n"
      "--near X\n"
      "    - from -1000.0 to 1e30\n"
      "    - takes the words that follow\n");
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_THAT(*rows, SizeIs(5));
  const auto& [files, output, metric, passes, near] =
      std::tie((*rows)[0], (*rows)[1], (*rows)[2], (*rows)[3], (*rows)[4]);
  EXPECT_EQ(files.names, "files");
  EXPECT_EQ(files.value, "FILE…");
  EXPECT_EQ(files.help, "what to read: one or more, in any order");
  EXPECT_TRUE(files.required);
  EXPECT_EQ(output.names, "-o,--output");
  EXPECT_TRUE(output.only_file);
  EXPECT_FALSE(output.required);
  EXPECT_THAT(output.was, ElementsAre("--out"));
  EXPECT_THAT(metric.words, ElementsAre("a", "b"));
  EXPECT_EQ(metric.group, "Measuring");
  EXPECT_TRUE(metric.commas);
  EXPECT_EQ(passes.unit, Quantity::Share);
  EXPECT_EQ(near.least, "-1000.0");
  EXPECT_EQ(near.most, "1e30");
  EXPECT_TRUE(near.several_words);
}

TEST(OptionRows, APropertyBeforeRowsHoldsForTheParagraph) {
  const auto rows = parse_option_rows(
      "- needs --split or --cuts: nothing is divided\n"
      "--link RATE\n"
      "--edge MACHINE\n"
      "    - excludes --aa: it has its own\n"
      "\n"
      "--split\n");
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_THAT((*rows)[0].rules, SizeIs(1));
  EXPECT_THAT((*rows)[0].rules[0].others, ElementsAre("--split", "--cuts"));
  EXPECT_EQ((*rows)[0].rules[0].why, "nothing is divided");
  EXPECT_FALSE((*rows)[0].rules[0].excludes);
  ASSERT_THAT((*rows)[1].rules, SizeIs(2));
  EXPECT_TRUE((*rows)[1].rules[1].excludes);
  EXPECT_THAT((*rows)[2].rules, IsEmpty());
}

TEST(OptionRows, ALineThatSaysNothingIsNamed) {
  for (const char* text : {"--a\n    - form 1 to 2\n", "--a\n    - unit furlong\n", "    help\n",
                           "--a\n    - needs --b\n", "--a\n    - from 1\n"})
    EXPECT_FALSE(parse_option_rows(text)) << text;
  EXPECT_EQ(parse_option_rows("--a\n    - form 1 to 2\n").error().message,
            "no row of an option:     - form 1 to 2");
}

TEST(OptionRows, AreFoundByEachOfTheirNames) {
  const std::vector<OptionRow> rows = {{.names = "-o,--output"}, {.names = "--out"}};
  EXPECT_EQ(find_row(rows, "--output"), &rows[0]);
  EXPECT_EQ(find_row(rows, "-o"), &rows[0]);
  EXPECT_EQ(find_row(rows, "--out"), &rows[1]);
  EXPECT_EQ(find_row(rows, "--outpu"), nullptr);
  EXPECT_EQ(find_row(rows, "put"), nullptr);
  EXPECT_EQ(find_row(rows, "-"), nullptr);
}

TEST(OptionRows, ACommandsOwnRowChangesWhatItSays) {
  const OptionRow shared{.names = "--samples", .value = "N", .help = "all", .least = "1"};
  OptionRow own{.names = "--samples", .help = "64"};
  own.rules = {{{"--data"}, false, "there are none"}};
  own.was = {"--count"};
  const OptionRow both = adapted(shared, own);
  EXPECT_EQ(both.help, "64");
  EXPECT_EQ(both.value, "N");
  EXPECT_EQ(both.least, "1");
  EXPECT_THAT(both.rules, SizeIs(1));
  EXPECT_THAT(both.was, SizeIs(1));
}

// Every option that a rule names has a row somewhere, or is made by code.
TEST(OptionRows, TheFilesOfTheProgramAreRead) {
  std::vector<const OptionRow*> all;
  std::vector<std::string> known = {"--format", "--input"};
  for (const std::string_view path : embedded_paths()) {
    constexpr std::string_view kFolder = "data/options/", kEnding = ".txt";
    if (!path.starts_with(kFolder)) continue;
    ASSERT_TRUE(path.ends_with(kEnding)) << path;
    const auto name = path.substr(kFolder.size(), path.size() - kFolder.size() - kEnding.size());
    for (const OptionRow& row : option_rows(name)) {
      all.push_back(&row);
      known.emplace_back(row.names.substr(row.names.find(',') + 1));
    }
  }
  EXPECT_GT(all.size(), 150u);
  for (const OptionRow* row : all)
    for (const OptionRule& rule : row->rules)
      for (const std::string& other : rule.others)
        EXPECT_THAT(known, ::testing::Contains(other)) << row->names;
}

}  // namespace
}  // namespace strata::manual
