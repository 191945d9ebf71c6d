// Calls that only Linux has are in files whose names end in _linux.cc, so that the rest compiles
// for other systems (packaging/elsewhere.sh).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

bool is_of_linux_alone(const std::string& text) {
  static const std::regex kCall(
      R"re(#include <(sys/(prctl|auxv|random|syscall|inotify|epoll|eventfd)|malloc|sched|seccomp|linux/\w+)\.h>)re"
      R"re(|"/proc/self/(exe|fd)|::(memfd_create|pipe2|gettid|memrchr|on_exit|fdatasync|prctl|syscall)\()re"
      R"re(|::(sigabbrev_np|sigdescr_np|sched_getaffinity|malloc_trim|mallopt|accept4)\()re"
      R"re(|\b(MAP_POPULATE|MSG_CMSG_CLOEXEC|SOCK_CLOEXEC|st_mtim)\b)re");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    line.resize(std::min(line.find("//"), line.size()));
    if (std::regex_search(line, kCall)) return true;
  }
  return false;
}

TEST(Systems, TheSearchFindsCalls) {
  EXPECT_TRUE(is_of_linux_alone("#include <sys/prctl.h>\n"));
  EXPECT_TRUE(is_of_linux_alone("  if (::pipe2(ends, 0) == 0)"));
  EXPECT_TRUE(is_of_linux_alone("facts.st_mtim.tv_sec"));
  EXPECT_FALSE(is_of_linux_alone("#include <sys/stat.h>\n// ::memfd_create() is Linux's\n"));
}

TEST(Systems, LinuxHasItsOwnFiles) {
  std::vector<std::string> found;
  for (const char* top : {"include", "src"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(STRATA_SOURCE_DIR) / top)) {
      const std::string name = entry.path().filename().string();
      if (!name.ends_with(".h") && !name.ends_with(".cc")) continue;
      if (name.ends_with("_test.cc") || name.ends_with("_linux.cc")) continue;
      std::stringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      if (is_of_linux_alone(text.str())) found.push_back(entry.path().string());
    }
  EXPECT_THAT(found, testing::IsEmpty());
}

}  // namespace
