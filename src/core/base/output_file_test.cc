#include "base/output_file.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/base/scratch_folder.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr FileKind kText{FileForm::Text}, kOther{FileForm::Other};

class OutputFileTest : public testing::Test {
 protected:
  std::string read(const std::string& path) const {
    std::stringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  void put(const std::string& path, std::string_view text) const {
    std::ofstream(path, std::ios::binary) << text;
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(scratch_.path()))
      if (entry.path().filename() != ".strata-scratch")  // the folder's own
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  // Runs in a child process, whose exit status it gives.
  template <class F>
  int in_child(F&& work) const {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(work());
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }

  ScratchFolder scratch_ = ScratchFolder::create().value();
  std::string path_ = scratch_ / "out.txt";
};

TEST_F(OutputFileTest, WhatWasThereStaysUntilTheNewFileIsComplete) {
  put(path_, "old");
  {
    auto file = OutputFile::create(path_, kText);
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write("new"));
    EXPECT_EQ(read(path_), "old");
  }
  EXPECT_EQ(read(path_), "old");
  ASSERT_TRUE(write_file(path_, kText, "new"));
  EXPECT_EQ(read(path_), "new");
  EXPECT_THAT(files(), ElementsAre("out.txt"));
}

// A limit for the size of files stands for a full disk.
TEST_F(OutputFileTest, AFullDiskLosesNothing) {
  put(path_, "old");
  const int status = in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    return write_file(path_, kText, std::string(5000, 'x')) ? 0 : 7;
  });
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(read(path_), "old");
  EXPECT_THAT(files(), ElementsAre("out.txt"));
}

TEST_F(OutputFileTest, WhatAKilledProcessLeftIsRemovedByTheNext) {
  put(path_, "old");
  const int status = in_child([&] {
    auto file = OutputFile::create(path_, kText);
    (void)file->write("half");
    return ::raise(SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_EQ(files().size(), 2u);
  EXPECT_EQ(read(path_), "old");
  ASSERT_TRUE(write_file(path_, kText, "new"));
  EXPECT_THAT(files(), ElementsAre("out.txt"));
}

TEST_F(OutputFileTest, AnotherWriterAtWorkIsLeftAlone) {
  auto first = OutputFile::create(path_, kText);
  ASSERT_TRUE(first);
  ASSERT_TRUE(first->write("first"));
  const int status = in_child([&] { return write_file(path_, kText, "second") ? 0 : 7; });
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(read(path_), "second");
  ASSERT_TRUE(first->commit());
  EXPECT_EQ(read(path_), "first");
}

TEST_F(OutputFileTest, FilesThatOnlyLookTemporaryStay) {
  constexpr const char* kNames[] = {"out.txt.part",
                                    "out.txt.1-.part",
                                    "out.txt.999999-0.part",
                                    "out.txt.strata-.part",
                                    "out.txt.strata-notes-0.part",
                                    "out.txt.strata-00000000-999999-1-0.part",  // another boot
                                    "other.strata-00000000-999999-1-0.part"};
  for (const char* name : kNames) put(scratch_ / name, "mine");
  ASSERT_TRUE(write_file(path_, kText, "new"));
  EXPECT_EQ(files().size(), std::size(kNames) + 1);
}

TEST_F(OutputFileTest, ALinkLeadsToTheFileAndPermissionsStay) {
  const std::string real = scratch_ / "real.txt";
  put(real, "old");
  ::chmod(real.c_str(), 0640);
  fs::create_symlink("real.txt", path_);
  ASSERT_TRUE(write_file(path_, kText, "new"));
  EXPECT_TRUE(fs::is_symlink(path_));
  EXPECT_EQ(read(real), "new");
  struct stat status {};
  ASSERT_EQ(::stat(real.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

struct Replacing {
  std::string_view there;
  FileKind kind;
  std::string_view found;  // in the sentence; empty: it is replaced
};

TEST_F(OutputFileTest, OnlyAnEarlierOutputOfTheKindIsReplaced) {
  using namespace std::string_view_literals;
  constexpr auto kModel = "\x08\x07\x12\x00:\x05"sv;
  constexpr auto kProfile = "{\n  \"kind\": \"profile\",\n"sv;
  constexpr auto kSweep = "{\"arguments\":[\"m.onnx\"]}\n"sv;
  constexpr FileKind kProfiles{FileForm::Json, "profile"}, kBenches{FileForm::Json, "bench"};
  const Replacing cases[] = {
      {"", kText, ""},
      {"Layer\n", kText, ""},
      {kModel, kText, "is a model"},
      {"PK\x03\x04\x00"sv, kText, "is a binary file"},
      {kProfile, kText, "is JSON of the kind \"profile\""},
      {kProfile, kProfiles, ""},
      {kProfile, FileKind{FileForm::Json}, ""},
      {kProfile, kBenches, "is JSON of the kind \"profile\""},
      {"{\"a\": 1}", kProfiles, "is JSON of another program"},
      {"[1]", kProfiles, "is JSON of another program"},
      {"notes", kProfiles, "is a text file"},
      {kModel, kProfiles, "is a model"},
      {kSweep, FileKind{FileForm::Lines}, ""},
      {kSweep, kProfiles, "is the results of a sweep"},
      {"notes", FileKind{FileForm::Lines}, "is a text file"},
      {kModel, FileKind{FileForm::Onnx}, ""},
      {"notes", FileKind{FileForm::Onnx}, "is a text file"},
      {"\x89PNG\r\n", FileKind{FileForm::Png}, ""},
      {"\x89PNG\r\n\x1a\n\x00"sv, kText, "is a picture"},
      {"anything", kOther, ""},
  };
  for (const Replacing& one : cases) {
    put(path_, one.there);
    const Status status = write_file(path_, one.kind, "new");
    EXPECT_EQ(status.has_value(), one.found.empty()) << one.there;
    EXPECT_EQ(read(path_), one.found.empty() ? "new" : one.there);
    if (status) continue;
    EXPECT_THAT(status.error().message, HasSubstr(one.found));
    EXPECT_EQ(status.error().kind, ErrorKind::Usage);
  }
}

TEST_F(OutputFileTest, OnlyAnEarlierOutputOfTheKindIsRemoved) {
  constexpr FileKind kProgram{FileForm::Marked, "# Written by strata"};
  EXPECT_TRUE(remove_output(path_, kProgram)) << "no file has the name";
  put(path_, "# Written by me\n");
  const Status refused = remove_output(path_, kProgram);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("is a text file"));
  EXPECT_EQ(read(path_), "# Written by me\n");
  put(path_, "# Written by strata 0.3\n");
  EXPECT_TRUE(remove_output(path_, kProgram));
  EXPECT_THAT(files(), ElementsAre());
  put(path_, "");
  EXPECT_TRUE(remove_output(path_, kProgram));
  EXPECT_THAT(files(), ElementsAre("out.txt")) << "an empty file stays";
}

TEST_F(OutputFileTest, AFolderAndAPipeAreNoFiles) {
  EXPECT_THAT(check_writable(scratch_.path(), kText).error().message, HasSubstr("is a directory"));
  ::mkfifo(path_.c_str(), 0600);
  EXPECT_THAT(check_writable(path_, kText).error().message, HasSubstr("is a device or a pipe"));
}

}  // namespace
}  // namespace strata
