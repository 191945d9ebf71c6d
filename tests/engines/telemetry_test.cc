// No engine sends anything to anybody. This is observed from outside, by the system calls that
// `strata engines` makes while it tries out every engine.
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Telemetry : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("strace -V >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no strace";
    fs::create_directories(home_);
    fs::create_directories(temporary_);
    const std::string command = fmt::format(
        "HOME={} XDG_CACHE_HOME= TMPDIR={} strace -f -y -qq -o {} "
        "-e trace=%network,openat,open,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat "
        "{} engines >{} 2>&1",
        home_.string(), temporary_.string(), calls_.string(), STRATA_BINARY, said_.string());
    if (std::system(command.c_str()) != 0) {
      std::ifstream said(said_);
      const std::string text(std::istreambuf_iterator<char>(said), {});
      if (text.find("ptrace") != text.npos || text.find("PTRACE") != text.npos)
        GTEST_SKIP() << "processes cannot be traced here: " << text;
      FAIL() << text;
    }
    std::ifstream file(calls_);
    for (std::string line; std::getline(file, line);) lines_.push_back(line);
    ASSERT_GT(lines_.size(), 20u);
  }
  void TearDown() override { fs::remove_all(work_); }

  std::vector<std::string> with(std::initializer_list<const char*> words) const {
    std::vector<std::string> found;
    for (const std::string& line : lines_)
      for (const char* word : words)
        if (line.find(word) != line.npos) {
          found.push_back(line);
          break;
        }
    return found;
  }

  const fs::path work_ =
      fs::path(::testing::TempDir()) / ("strata_telemetry_test_" + std::to_string(::getpid()));
  const fs::path home_ = work_ / "home", temporary_ = work_ / "tmp", calls_ = work_ / "calls",
                 said_ = work_ / "said";
  std::vector<std::string> lines_;
};

// Processes of ours talk through pairs of sockets, which have no address and lead nowhere else.
TEST_F(Telemetry, NoSocketIsOpened) {
  EXPECT_THAT(with({"socket(", "connect(", "bind("}), IsEmpty());
  for (const std::string& line : with({"sendto("})) EXPECT_THAT(line, HasSubstr(", NULL, 0"));
  for (const std::string& line : with({"sendmsg("})) EXPECT_THAT(line, HasSubstr("msg_name=NULL"));
}

TEST_F(Telemetry, NothingIsWrittenOutsideTheTemporaryFolder) {
  std::vector<std::string> outside;
  for (const std::string& line :
       with({"O_WRONLY", "O_RDWR", "O_CREAT", "mkdir", "rename", "link"})) {
    // Calls that failed, and devices, do not count as writing.
    const bool failed = line.find(" = -1 ") != line.npos;
    const bool device = line.find("\"/dev/") != line.npos || line.find("\"/proc/") != line.npos;
    const bool own = line.find(temporary_.string()) != line.npos;
    if (!failed && !device && !own) outside.push_back(line);
  }
  EXPECT_THAT(outside, IsEmpty());
  EXPECT_TRUE(fs::is_empty(home_));
}

TEST_F(Telemetry, NothingIsLeftInTheTemporaryFolder) { EXPECT_TRUE(fs::is_empty(temporary_)); }

TEST_F(Telemetry, TheMachineIsNotIdentified) {
  EXPECT_THAT(with({"machine-id", "/sys/class/net", "product_uuid"}), IsEmpty());
}

}  // namespace
