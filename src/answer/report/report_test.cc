#include "strata/report/report.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "strata/base/number_text.h"
#include "strata/base/scratch_folder.h"

namespace strata {
namespace {

Profile sample() {
  Profile profile;
  profile.columns = {{"layer", "Layer", Unit::Text, false, 0},
                     {"type", "Type", Unit::Text, false, 1},
                     {"macs", "MACs", Unit::Macs, true, 0},
                     {"read", "Read", Unit::Bytes, true, 5}};
  profile.columns[1].asked = true;  // all are the same
  const auto row = [](std::string layer, Cell macs, std::int64_t read) {
    return ProfileRow{{{std::move(layer), Certainty::Exact},
                       {std::string("Conv2d"), Certainty::Exact},
                       std::move(macs),
                       {Expr(read), Certainty::Exact}},
                      0};
  };
  profile.rows = {row("a very, \"long\" name of a layer that goes on",
                      {Expr(118013952), Certainty::Exact}, 1024),
                  row("b", {}, 2048),
                  row("c", {Expr::symbol("N") * 300774272, Certainty::Exact}, 0)};
  profile.totals = row("Total", {Expr(118013952), Certainty::LowerBound}, 3072);
  return profile;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Table, UnknownIsNeverZeroAndLowerBoundsAreMarked) {
  TableStyle style;
  style.width = 0;
  const std::string table = to_table(sample(), style);
  const auto lines = lines_of(table);
  EXPECT_EQ(lines[0], "Layer                                        Type         MACs       Read");
  EXPECT_EQ(lines[2],
            "a very, \"long\" name of a layer that goes on  Conv2d    118.0 M  1.000 KiB");
  EXPECT_EQ(lines[3], "b                                            Conv2d          ?  2.000 KiB");
  EXPECT_EQ(lines[4], "c                                            Conv2d  300.8 M·N        0 B");
  EXPECT_EQ(lines[6], "Total                                                 ≥118.0 M  3.000 KiB");
}

TEST(Table, FitsTheWidth) {
  for (std::size_t width : {30, 40, 50, 60, 70, 100}) {
    TableStyle style;
    style.width = width;
    for (const std::string& line : lines_of(to_table(sample(), style))) {
      EXPECT_LE(display_width(line), width) << line;
    }
  }
}

TEST(Table, ExactKeepsEveryDigit) {
  TableStyle style;
  style.width = 0;
  style.exact = true;
  EXPECT_NE(to_table(sample(), style).find("118,013,952"), std::string::npos);
}

TEST(Csv, QuotesAndLeavesUnknownEmpty) {
  const auto lines = lines_of(to_csv(sample()));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0], "layer,type,macs,read");
  EXPECT_EQ(lines[1],
            "\"a very, \"\"long\"\" name of a layer that goes on\",Conv2d,118013952,1024");
  EXPECT_EQ(lines[2], "b,Conv2d,,2048");
  EXPECT_EQ(lines[3], "c,Conv2d,300774272·N,0");
}

TEST(Markdown, AlignsNumbersRight) {
  const auto lines = lines_of(to_markdown(sample()));
  EXPECT_EQ(lines[0], "| Layer | Type | MACs | Read |");
  EXPECT_EQ(lines[1], "|---|---|---:|---:|");
  EXPECT_EQ(lines[5], "| **Total** |  | **≥118.0 M** | **3.000 KiB** |");
}

// People get the usual columns, programs all of them.
TEST(SaveProfile, EveryFormatIsAFile) {
  const auto scratch = ScratchFolder::create();
  ASSERT_TRUE(scratch) << scratch.error().message;
  const std::string folder = *scratch / "new/folder";
  Profile full = sample();
  full.columns.push_back({"write", "Write", Unit::Bytes, true, 5});
  for (ProfileRow& row : full.rows) row.cells.push_back({Expr(7), Certainty::Exact});
  full.totals.cells.push_back({Expr(21), Certainty::Exact});
  const Status status = save_profile(sample(), full, folder, {.width = 0});
  ASSERT_TRUE(status) << status.error().message;
  const auto has_write = [&](const char* name) {
    std::ifstream file(folder + "/" + name);
    EXPECT_TRUE(file) << name;
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return text.find("write") != text.npos || text.find("Write") != text.npos;
  };
  EXPECT_FALSE(has_write("profile.txt"));
  EXPECT_FALSE(has_write("profile.md"));
  EXPECT_TRUE(has_write("profile.csv"));
  EXPECT_TRUE(has_write("profile.json"));
}

}  // namespace
}  // namespace strata
