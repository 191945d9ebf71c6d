#include "task/sweep_journal.h"

#include <sys/resource.h>
#include <unistd.h>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class SweepJournal : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "journal_" + std::to_string(::getpid()) + ".jsonl";
    std::filesystem::remove(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  void write(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
  std::string text() const {
    std::stringstream out;
    out << std::ifstream(path_, std::ios::binary).rdbuf();
    return out.str();
  }

  std::string path_;
};

json record(const std::string& job, const json& error = nullptr) {
  return {{"job", job}, {"error", error}};
}

TEST_F(SweepJournal, WhatIsAppendedIsThereNextTime) {
  {
    auto journal = Journal::open(path_);
    ASSERT_TRUE(journal) << journal.error().message;
    ASSERT_TRUE(journal->append(record("a")));
    ASSERT_TRUE(journal->append(record("b", "no engine")));
  }
  auto again = Journal::open(path_);
  ASSERT_TRUE(again);
  ASSERT_EQ(again->entries().size(), 2u);
  EXPECT_FALSE(again->entries()[0].failed());
  EXPECT_TRUE(again->entries()[1].failed());
  EXPECT_FALSE(again->cut());
}

// A crash may leave any part of the last line.
TEST_F(SweepJournal, APartOfALastLineIsCutOffWhereverItEnds) {
  const std::string whole = record("a").dump() + "\n";
  const std::string last = record("b").dump() + "\n";
  for (std::size_t length = 1; length < last.size() - 1; ++length) {
    write(whole + last.substr(0, length));
    auto journal = Journal::open(path_);
    ASSERT_TRUE(journal) << journal.error().message;
    EXPECT_TRUE(journal->cut());
    EXPECT_EQ(journal->entries().size(), 1u);
    ASSERT_TRUE(journal->append(record("c")));
    EXPECT_EQ(text(), whole + record("c").dump() + "\n");
  }
}

TEST_F(SweepJournal, AWholeLastLineCountsWithoutItsLineBreak) {
  const std::string lines = record("a").dump() + "\n" + record("b").dump();
  write(lines);
  const auto read = read_journal(path_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->entries.size(), 2u);
  EXPECT_FALSE(read->cut);
  auto journal = Journal::open(path_);
  ASSERT_TRUE(journal);
  EXPECT_FALSE(journal->cut());
  ASSERT_TRUE(journal->append(record("c")));
  EXPECT_EQ(text(), lines + "\n" + record("c").dump() + "\n");
}

TEST_F(SweepJournal, AFileOfAnotherProgramIsLeftAlone) {
  for (const std::string foreign :
       {"my notes", "my notes\n", "{\"a\": 1}\n", "\x08\x07 a model without a line break"}) {
    write(foreign);
    const auto journal = Journal::open(path_);
    ASSERT_FALSE(journal) << foreign;
    EXPECT_THAT(journal.error().message, HasSubstr(":1: this is not a line of a sweep's results"));
    EXPECT_EQ(journal.error().code, Code::FileBroken);
    EXPECT_EQ(text(), foreign);
  }
}

TEST_F(SweepJournal, ANoteAtTheEndIsNotCutOff) {
  for (const char* note : {"# measured on the old laptop", "# measured on the old laptop\n"}) {
    const std::string before = record("a").dump() + "\n" + note;
    write(before);
    const auto journal = Journal::open(path_);
    ASSERT_FALSE(journal);
    EXPECT_THAT(journal.error().message, HasSubstr(":2: this is not a line of a sweep's results"));
    EXPECT_EQ(text(), before);
  }
}

TEST_F(SweepJournal, AWrongLineInTheMiddleIsAnErrorAndNothingIsLost) {
  const std::string before = record("a").dump() + "\nnonsense\n" + record("b").dump() + "\n";
  write(before);
  auto journal = Journal::open(path_);
  ASSERT_FALSE(journal);
  EXPECT_THAT(journal.error().message, HasSubstr(":2: this is not a line of a sweep's results"));
  EXPECT_EQ(text(), before);
}

TEST_F(SweepJournal, OneProcessAtATime) {
  auto first = Journal::open(path_);
  ASSERT_TRUE(first);
  auto second = Journal::open(path_);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("another sweep is writing to this file"));
}

// A file size limit stands in for a full disk.
TEST_F(SweepJournal, AFullDiskLeavesWholeLines) {
  auto journal = Journal::open(path_);
  ASSERT_TRUE(journal);
  ASSERT_TRUE(journal->append(record("a")));
  const std::string before = text();
  rlimit usual{};
  ::getrlimit(RLIMIT_FSIZE, &usual);
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{before.size() + 10, usual.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto status = journal->append(record(std::string(1000, 'b')));
  ::setrlimit(RLIMIT_FSIZE, &usual);
  std::signal(SIGXFSZ, SIG_DFL);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("cannot be written"));
  EXPECT_EQ(text(), before);
}

TEST_F(SweepJournal, MergingKeepsTheEntryThatDidNotFail) {
  const auto entry = [](const std::string& job, const json& error, int number) {
    json line = record(job, error);
    line["n"] = number;
    return JournalEntry{job, line};
  };
  const auto merged = merge_entries({{entry("a", nullptr, 1), entry("b", "oh", 2)},
                                     {entry("b", nullptr, 3), entry("a", nullptr, 4)},
                                     {entry("c", "oh", 5), entry("b", "oh", 6)}});
  ASSERT_EQ(merged.size(), 3u);
  EXPECT_EQ(merged[0].record["n"], 1);
  EXPECT_EQ(merged[1].record["n"], 3);
  EXPECT_EQ(merged[2].record["n"], 5);
  // An entry that was repeated in one file counts, whatever its result.
  const auto again = merge_entries({{entry("a", nullptr, 1), entry("a", nullptr, 2)},
                                    {entry("b", nullptr, 3), entry("b", "oh", 4)}});
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(again[0].record["n"], 2);
  EXPECT_EQ(again[1].record["n"], 4);
}

}  // namespace
}  // namespace strata
