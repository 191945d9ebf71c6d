#include "engine/confine.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include "strata/base/scratch_folder.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

// The kernel is the judge: every attempt is a real system call in a confined process.
class Confined : public testing::Test {
 protected:
  void SetUp() override {
    if (const Status can = can_confine(); !can) GTEST_SKIP() << can.error().message;
    fs::create_directory(own());
    std::ofstream(theirs()) << "ten years";
    ASSERT_EQ(::chmod(theirs().c_str(), 0644), 0);
  }
  std::string own() const { return folder_ / "own"; }
  std::string theirs() const { return folder_ / "thesis.txt"; }

  // The error that `attempt` ends with in a confined process: 0 if it succeeds, for which it
  // returns 0 or more.
  int error_of(const std::function<int()>& attempt) const {
    const pid_t child = ::fork();
    if (child == 0) {
      if (!confine(own())) ::_exit(255);
      errno = 0;
      ::_exit(attempt() >= 0 ? 0 : errno);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  ScratchFolder folder_ = ScratchFolder::create().value();
};

TEST_F(Confined, WritesOnlyInItsFolder) {
  const auto create = [](const std::string& path) {
    return [path] { return ::open(path.c_str(), O_WRONLY | O_CREAT, 0600); };
  };
  EXPECT_EQ(error_of(create(own() + "/new")), 0);
  EXPECT_EQ(error_of(create(folder_ / "new")), EACCES);
  EXPECT_EQ(error_of(create(theirs())), EACCES);
  EXPECT_EQ(error_of([&] { return ::open(theirs().c_str(), O_RDONLY); }), 0);
  EXPECT_EQ(error_of([&] { return ::open(theirs().c_str(), O_RDONLY | O_TRUNC); }), EPERM);
  EXPECT_EQ(error_of([&] { return ::truncate(theirs().c_str(), 0); }), EPERM);
  EXPECT_EQ(error_of([&] { return ::unlink(theirs().c_str()); }), EACCES);
  EXPECT_EQ(error_of([&] { return ::mkdir((folder_ / "x").c_str(), 0700); }), EACCES);
  EXPECT_EQ(error_of([&] { return ::chmod(theirs().c_str(), 0); }), EPERM);
  const std::string inside = own() + "/thesis.txt";
  EXPECT_NE(error_of([&] { return ::rename(theirs().c_str(), inside.c_str()); }), 0);
  EXPECT_NE(error_of([&] { return ::symlink("/", (folder_ / "link").c_str()); }), 0);
  // A link inside does not lead out.
  EXPECT_EQ(error_of([&] {
              if (::symlink(theirs().c_str(), (own() + "/link").c_str()) != 0) return -1;
              return ::open((own() + "/link").c_str(), O_WRONLY);
            }),
            EACCES);
  std::string text;
  std::getline(std::ifstream(theirs()), text);
  EXPECT_EQ(text, "ten years");
  EXPECT_EQ(fs::status(theirs()).permissions(), fs::perms(0644));
}

TEST_F(Confined, KeepsWhatIsOpen) {
  const int file = ::open(theirs().c_str(), O_WRONLY | O_APPEND);
  EXPECT_EQ(error_of([&] { return ::write(file, "x", 1) == 1 ? 0 : -1; }), 0);
  EXPECT_EQ(error_of([] { return ::open("/dev/null", O_WRONLY); }), 0);
  ::close(file);
}

TEST_F(Confined, OpensNoSocket) {
  for (const int family : {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK})
    EXPECT_EQ(error_of([&] { return ::socket(family, SOCK_STREAM, 0); }), EPERM) << family;
}

TEST_F(Confined, StartsNoProcessAndNoProgram) {
  EXPECT_EQ(error_of([] {
              const pid_t child = ::fork();
              if (child == 0) ::_exit(0);
              return child;
            }),
            EPERM);
  EXPECT_EQ(error_of([] { return ::execl("/bin/true", "true", nullptr); }), EPERM);
  EXPECT_NE(error_of([] {
              if (std::system("true") == 0) return 0;
              errno = EPERM;
              return -1;
            }),
            0);
}

TEST_F(Confined, SignalsNoOtherProcess) {
  EXPECT_EQ(error_of([] { return ::kill(::getppid(), SIGTERM); }), EPERM);
  EXPECT_EQ(error_of([] { return ::kill(0, SIGTERM); }), EPERM);
  EXPECT_EQ(error_of([]() -> int { std::abort(); }), -SIGABRT);  // but itself
}

TEST_F(Confined, HasThreads) {
  EXPECT_EQ(error_of([&] {
              int found = -1;
              std::thread([&] {
                found = ::open((folder_ / "new").c_str(), O_WRONLY | O_CREAT, 0600) < 0 ? errno : 0;
              }).join();
              errno = found;
              return found == EACCES ? 0 : -1;
            }),
            0);
}

}  // namespace
}  // namespace strata
