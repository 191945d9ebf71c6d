#include "strata/base/scratch_folder.h"

#include <fcntl.h>
#include <sys/file.h>
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

// The folder that a process leaves which is killed.
class Left : public ScratchFolderTest {
 protected:
  void SetUp() override {
    ScratchFolderTest::SetUp();
    const pid_t child = ::fork();
    if (child == 0) {
      const auto folder = ScratchFolder::create();
      ::raise(SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
    for (const auto& entry : fs::directory_iterator(own_.path()))
      if (entry.is_directory()) left_ = entry.path();
    ASSERT_FALSE(left_.empty());
    std::ofstream(left_ / "file") << "x";
  }
  fs::path left_;
};

TEST_F(Left, IsRemovedByTheNextProcess) {
  ASSERT_TRUE(ScratchFolder::create());
  EXPECT_FALSE(fs::exists(left_));
}

TEST_F(Left, IsKeptIfAnotherProcessHoldsIt) {
  const int folder = ::open(left_.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(folder, LOCK_SH | LOCK_NB), 0);
  ASSERT_TRUE(ScratchFolder::create());
  EXPECT_TRUE(fs::exists(left_));
  ::close(folder);
}

TEST_F(Left, ACopyOfItIsTheUsers) {
  const fs::path copy = own_ / "strata.mycopy";
  fs::copy(left_, copy, fs::copy_options::recursive);
  ASSERT_TRUE(ScratchFolder::create());
  EXPECT_TRUE(fs::exists(copy / "file"));
}

// A user's folders have any name and any age; they have no marker, or one that strata did not
// write for them.
TEST_F(ScratchFolderTest, FoldersOfTheUserStay) {
  const fs::path backup = own_ / "strata.backup", forged = own_ / "strata.forged",
                 linked = own_ / "strata.linked", file = own_ / "strata.abcdef";
  for (const fs::path& folder : {backup, forged, linked}) {
    fs::create_directory(folder);
    std::ofstream(folder / "thesis.txt") << "ten years";
  }
  std::ofstream(file) << "x";
  std::ofstream(forged / ".strata-scratch")
      << "strata scratch folder\nprocess 1a2b3c4d-1-1\nfolder 1-1\n";
  fs::create_symlink(forged / ".strata-scratch", linked / ".strata-scratch");
  for (const fs::path& path : {backup, forged, linked, file}) make_old(path);
  ASSERT_TRUE(ScratchFolder::create());
  for (const fs::path& folder : {backup, forged, linked})
    EXPECT_TRUE(fs::exists(folder / "thesis.txt")) << folder;
  EXPECT_TRUE(fs::exists(file));
}

TEST_F(ScratchFolderTest, OneThatIsInUseStays) {
  const auto held = ScratchFolder::create();
  ASSERT_TRUE(held);
  make_old(held->path());
  ASSERT_TRUE(ScratchFolder::create());
  EXPECT_TRUE(fs::exists(held->path()));
}

// Somebody moved the folder away and put another in its place.
TEST_F(ScratchFolderTest, AnotherFolderUnderItsNameStays) {
  std::string path;
  {
    const auto folder = ScratchFolder::create();
    ASSERT_TRUE(folder);
    path = folder->path();
    fs::rename(path, own_ / "moved");
    fs::create_directory(path);
    std::ofstream(path + "/mine") << "x";
  }
  EXPECT_TRUE(fs::exists(path + "/mine"));
}

}  // namespace
}  // namespace strata
