#include "cli/table_options.h"

#include <gtest/gtest.h>

#include "options/options.h"

namespace strata::cli {
namespace {

// The format of a line, or the sentence it gets.
std::string format_of(const std::string& line, const std::string& kept_apart = "") {
  TableOptions table;
  table.kept_apart = kept_apart;
  App app;
  table.add_to(app, Exact::Digits);
  if (const auto parsed = app.parse(line); !parsed) return parsed.error().message;
  if (const auto effects = app.check_effects(); !effects) return effects.error().message;
  return std::string(table.format());
}

TEST(TableOptions, TheFormatFollowsTheFile) {
  EXPECT_EQ(format_of(""), "table");
  EXPECT_EQ(format_of("-o x.csv"), "csv");
  EXPECT_EQ(format_of("-o x.json"), "json");
  EXPECT_EQ(format_of("-o folder.csv/x.md"), "md");
  EXPECT_EQ(format_of("-o x.txt"), "table");
  EXPECT_EQ(format_of("-o csv"), "table");
  EXPECT_EQ(format_of("-o x.csv --format json"), "json");
  // A file that holds something else says nothing about the table.
  EXPECT_EQ(format_of("-o x.json", ".json"), "table");
  EXPECT_EQ(format_of("-o x.csv", ".json"), "csv");
}

TEST(TableOptions, WhatAFormatDoesNotHaveIsRefused) {
  EXPECT_EQ(format_of("--width 80"), "table");
  EXPECT_EQ(format_of("--width 80 --exact -o x.txt"), "table");
  EXPECT_EQ(format_of("--exact --format md"), "md");
  EXPECT_EQ(format_of("--width 80 --format md"),
            "--width has no effect: only a table for the terminal has a width; take --format "
            "table");
  EXPECT_EQ(format_of("--exact -o x.csv"),
            "--exact has no effect: csv and json have every digit; take --format table or md");
}

TEST(TableOptions, AFileIsAsWideAsItGets) {
  TableOptions table;
  App app;
  table.add_to(app);
  ASSERT_TRUE(app.parse("-o x.txt"));
  EXPECT_EQ(table.style().width, 0u);
  EXPECT_FALSE(table.style().color);
  ASSERT_TRUE(app.parse("-o x.txt --width 72"));
  EXPECT_EQ(table.style().width, 72u);
}

}  // namespace
}  // namespace strata::cli
