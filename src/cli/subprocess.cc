#include "cli/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

extern char** environ;

namespace strata::cli {

namespace {

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) == 0) {
      read = ends[0];
      write = ends[1];
    }
  }
  ~Pipe() {
    close_end(read);
    close_end(write);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  static void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
};

// Until both are closed at the other end.
void read_both(Pipe& first, std::string& into_first, Pipe& second, std::string& into_second) {
  char buffer[1 << 16];
  while (first.read >= 0 || second.read >= 0) {
    pollfd waiting[2] = {{first.read, POLLIN, 0}, {second.read, POLLIN, 0}};
    if (::poll(waiting, 2, -1) < 0 && errno != EINTR) return;
    for (int i = 0; i < 2; ++i) {
      if ((waiting[i].revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
      Pipe& pipe = i == 0 ? first : second;
      const ssize_t got = ::read(pipe.read, buffer, sizeof buffer);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0)
        Pipe::close_end(pipe.read);
      else
        (i == 0 ? into_first : into_second).append(buffer, static_cast<std::size_t>(got));
    }
  }
}

}  // namespace

Result<Finished> run_program(const std::vector<std::string>& arguments) {
  Pipe out, err;
  if (out.read < 0 || err.read < 0)
    return failure(fmt::format("no pipe to {}: {}", arguments[0], std::strerror(errno)));
  std::vector<char*> words;
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, out.write, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err.write, STDERR_FILENO);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, words[0], &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return failure(fmt::format("{} cannot be started: {}", arguments[0], std::strerror(error)));
  Pipe::close_end(out.write);
  Pipe::close_end(err.write);
  Finished finished;
  read_both(out, finished.output, err, finished.errors);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) finished.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) finished.signal = WTERMSIG(status);
  return finished;
}

std::string own_program() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

}  // namespace strata::cli
