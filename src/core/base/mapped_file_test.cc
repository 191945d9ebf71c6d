#include "base/mapped_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "strata/base/scratch_folder.h"

namespace strata {
namespace {

class MappedFileTest : public testing::Test {
 protected:
  std::string write(const std::string& name, std::string_view content) {
    std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  ScratchFolder scratch_ = ScratchFolder::create().value();
  std::filesystem::path folder_ = scratch_.path();
};

TEST_F(MappedFileTest, ShowsTheBytesOfTheFile) {
  auto file = MappedFile::open(write("a", std::string_view("one\0two", 7)));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ((*file)->bytes(), std::string_view("one\0two", 7));
}

TEST_F(MappedFileTest, AnEmptyFileHasNoBytes) {
  auto file = MappedFile::open(write("empty", ""));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE((*file)->bytes().empty());
}

TEST_F(MappedFileTest, OutlivesTheRemovalOfTheFile) {
  const std::string path = write("gone", "still here");
  auto file = MappedFile::open(path);
  ASSERT_TRUE(file);
  std::filesystem::remove(path);
  EXPECT_EQ((*file)->bytes(), "still here");
}

TEST_F(MappedFileTest, WhatIsForgottenComesBack) {
  std::string content(100'000, 'a');
  content += std::string(100'000, 'b');
  auto file = MappedFile::open(write("large", content));
  ASSERT_TRUE(file);
  EXPECT_EQ((*file)->bytes(), content);
  MappedFile::forget((*file)->bytes().substr(10, 150'000));
  MappedFile::forget((*file)->bytes().substr(10, 20));
  EXPECT_EQ((*file)->bytes(), content);
}

TEST_F(MappedFileTest, SaysWhatIsWrong) {
  const std::string missing = (folder_ / "nothing.onnx").string();
  EXPECT_EQ(MappedFile::open(missing).error().message,
            missing + ": there is no such file; check the path");
  EXPECT_EQ(MappedFile::open(folder_.string()).error().message,
            folder_.string() + " is a directory; name the model file inside it");
  const std::string below = write("file", "x") + "/model.onnx";
  EXPECT_EQ(MappedFile::open(below).error().message, below + ": cannot be opened: Not a directory");
}

TEST_F(MappedFileTest, DoesNotWaitForAPipe) {
  const std::string path = (folder_ / "pipe").string();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(MappedFile::open(path).error().message,
            path + " is a device or a pipe; save the model to a regular file first");
}

}  // namespace
}  // namespace strata
