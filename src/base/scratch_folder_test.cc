#include "strata/base/scratch_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace strata {
namespace {

namespace fs = std::filesystem;

// In a folder of its own, for which TMPDIR stands.
class ScratchFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* before = std::getenv("TMPDIR");
    if (before != nullptr) before_ = before;
    ::setenv("TMPDIR", own_.path().c_str(), 1);
  }
  void TearDown() override {
    if (before_.empty())
      ::unsetenv("TMPDIR");
    else
      ::setenv("TMPDIR", before_.c_str(), 1);
  }
  void make_old(const std::string& folder) const {
    timespec times[2];
    times[0].tv_sec = times[1].tv_sec = std::time(nullptr) - 2 * 3600;
    times[0].tv_nsec = times[1].tv_nsec = 0;
    ASSERT_EQ(::utimensat(AT_FDCWD, folder.c_str(), times, 0), 0);
  }

  ScratchFolder own_ = ScratchFolder::create().value();
  std::string before_;
};

TEST_F(ScratchFolderTest, GoesWithTheObject) {
  std::string path;
  {
    const auto folder = ScratchFolder::create();
    ASSERT_TRUE(folder);
    path = folder->path();
    std::ofstream(*folder / "file") << "x";
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(ScratchFolderTest, WhatAKilledProcessLeftIsRemovedAfterAnHour) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto folder = ScratchFolder::create();
    ::raise(SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  ASSERT_EQ(std::distance(fs::directory_iterator(own_.path()), fs::directory_iterator()), 1);
  const std::string left = fs::directory_iterator(own_.path())->path().string();
  std::ofstream(left + "/file") << "x";
  ASSERT_TRUE(ScratchFolder::create());
  EXPECT_TRUE(fs::exists(left));  // it may be of a process that has only just begun
  make_old(left);
  ASSERT_TRUE(ScratchFolder::create());
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(ScratchFolderTest, WhatIsInUseOrNotOursStays) {
  const auto held = ScratchFolder::create();
  ASSERT_TRUE(held);
  const std::string other = own_ / "strata.results", file = own_ / "strata.abcdef";
  fs::create_directory(other);
  std::ofstream(file) << "x";
  make_old(held->path());
  make_old(other);
  make_old(file);
  ASSERT_TRUE(ScratchFolder::create());
  EXPECT_TRUE(fs::exists(held->path()));
  EXPECT_TRUE(fs::exists(other));
  EXPECT_TRUE(fs::exists(file));
}

}  // namespace
}  // namespace strata
