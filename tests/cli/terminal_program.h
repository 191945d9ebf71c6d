// Runs the program on a terminal of the test's own, where Ctrl-C can be typed and progress is seen.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata {

using Words = std::vector<std::string>;

inline Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// A program whose output goes to a file, and whose errors and progress go to a terminal.
class Program {
 public:
  explicit Program(const Words& words, rlim_t most_memory = RLIM_INFINITY)
      : output_(std::filesystem::path(testing::TempDir()) /
                fmt::format("strata_run_{}", ::getpid())) {
    const std::string binary = STRATA_BINARY;
    std::vector<char*> arguments = {const_cast<char*>(binary.c_str())};
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_ = ::forkpty(&terminal_, nullptr, nullptr, nullptr);
    if (pid_ != 0) return;
    const int file = ::open(output_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(file, STDOUT_FILENO);
    ::setenv("COLUMNS", "100", 1);
    const rlimit limit = {most_memory, most_memory};
    ::setrlimit(RLIMIT_AS, &limit);
    ::execv(binary.c_str(), arguments.data());
    ::_exit(127);
  }
  ~Program() {
    if (pid_ > 0 && !ended_) ::kill(pid_, SIGKILL), wait();
    ::close(terminal_);
    std::filesystem::remove(output_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // True if the terminal shows `text` within a minute.
  bool shows(const std::string& text) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (seen_.find(text) == seen_.npos)
      if (std::chrono::steady_clock::now() > until || !read_some()) return false;
    return true;
  }
  void type_control_c() { ASSERT_EQ(::write(terminal_, "\x03", 1), 1); }
  pid_t pid() const { return pid_; }
  // Its child processes, and theirs.
  std::vector<pid_t> children() const {
    std::vector<pid_t> found, parents = {pid_};
    while (!parents.empty()) {
      std::vector<pid_t> next;
      for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        std::ifstream stat(entry.path() / "stat");
        std::string line;
        if (!std::getline(stat, line)) continue;
        pid_t parent = 0;
        char state = 0;
        std::istringstream(line.substr(line.rfind(')') + 1)) >> state >> parent;
        if (std::find(parents.begin(), parents.end(), parent) != parents.end())
          next.push_back(std::stoi(entry.path().filename().string()));
      }
      found.insert(found.end(), next.begin(), next.end());
      parents = std::move(next);
    }
    return found;
  }
  // The process that has the engine.
  pid_t child() const {
    const auto found = children();
    return found.empty() ? 0 : found.front();
  }

  struct Ended {
    int exit_code = -1, signal = 0;
    std::string output, errors;
  };
  Ended wait() {
    while (read_some()) {
    }
    int status = 0;
    ::waitpid(pid_, &status, 0);
    ended_ = true;
    Ended ended;
    if (WIFEXITED(status)) ended.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
    ended.output = read_output();
    ended.errors = what_stays(seen_);
    return ended;
  }

 private:
  // False at its end.
  bool read_some() {
    pollfd waiting = {terminal_, POLLIN, 0};
    ::poll(&waiting, 1, 1000);
    if (waiting.revents == 0) return true;
    char buffer[4096];
    const ssize_t count = ::read(terminal_, buffer, sizeof buffer);
    if (count <= 0) return false;
    seen_.append(buffer, static_cast<std::size_t>(count));
    return true;
  }
  std::string read_output() const {
    std::ostringstream text;
    text << std::ifstream(output_).rdbuf();
    return text.str();
  }
  // The text without what was overwritten, the terminal's own line ends, and the ^C that it echoes.
  static std::string what_stays(const std::string& seen) {
    std::string all;
    std::istringstream lines(seen);
    for (std::string line; std::getline(lines, line);) {
      if (line.ends_with('\r')) line.pop_back();
      const std::size_t over = line.rfind('\r');
      if (over != line.npos) line.erase(0, over + 1);
      if (line.starts_with("\x1b[K")) line.erase(0, 3);
      if (line.starts_with("^C")) line.erase(0, 2);
      all += line + "\n";
    }
    return all == "\n" ? "" : all;
  }

  std::filesystem::path output_;
  int terminal_ = -1;
  pid_t pid_ = 0;
  bool ended_ = false;
  std::string seen_;
};

// True if all processes end within a minute.
inline bool all_end(const std::vector<pid_t>& processes) {
  for (int i = 0; i < 600; ++i) {
    if (std::all_of(processes.begin(), processes.end(),
                    [](pid_t one) { return ::kill(one, 0) != 0; }))
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

}  // namespace strata
