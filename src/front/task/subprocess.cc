#include "task/subprocess.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include <fmt/format.h>

#include "base/system_calls.h"

namespace strata {

namespace {

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (system_calls::make_pipe(ends)) {
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

// Runs after fork, and calls only what is safe between fork and exec. Does not return.
[[noreturn]] void become_program(char* const* words, const Pipe& out, const Pipe& err,
                                 const Pipe& problem, pid_t parent) {
  system_calls::end_with_parent(SIGTERM);
  if (::getppid() != parent) ::_exit(1);
  ::dup2(out.write, STDOUT_FILENO);
  ::dup2(err.write, STDERR_FILENO);
  ::execv(words[0], words);
  const int error = errno;
  [[maybe_unused]] const ssize_t told = ::write(problem.write, &error, sizeof error);
  ::_exit(127);
}

// Why the program could not be started; 0: it was.
int starting_problem(Pipe& problem) {
  Pipe::close_end(problem.write);
  int error = 0;
  ssize_t got = 0;
  do got = ::read(problem.read, &error, sizeof error);
  while (got < 0 && errno == EINTR);
  return got == sizeof error ? error : 0;
}

// Reads what the child writes to both pipes, until it has closed them.
void read_both(pid_t child, const ProgramLimits& limits, Pipe& out, Pipe& err, Finished& finished) {
  using Clock = std::chrono::steady_clock;
  constexpr int kPauseMs = 50;
  const bool limited = limits.stop != nullptr || limits.seconds > 0;
  const Clock::time_point start = Clock::now();
  bool told = false;
  char buffer[1 << 16];
  while (out.read >= 0 || err.read >= 0) {
    pollfd waiting[2] = {{out.read, POLLIN, 0}, {err.read, POLLIN, 0}};
    const int ready = ::poll(waiting, 2, limited ? kPauseMs : -1);
    if (ready < 0 && errno != EINTR) return;
    if (!told && limits.stop != nullptr && limits.stop->load()) {
      ::kill(child, SIGTERM);
      told = true;
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (limits.seconds > 0 && seconds > limits.seconds) {
      ::kill(child, SIGKILL);
      finished.timed_out = true;
      return;
    }
    for (int i = 0; ready > 0 && i < 2; ++i) {
      if ((waiting[i].revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
      Pipe& pipe = i == 0 ? out : err;
      const ssize_t got = ::read(pipe.read, buffer, sizeof buffer);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0)
        Pipe::close_end(pipe.read);
      else
        (i == 0 ? finished.output : finished.errors).append(buffer, static_cast<std::size_t>(got));
    }
  }
}

Finished outcome_of(pid_t child, const ProgramLimits& limits, Pipe& out, Pipe& err) {
  Pipe::close_end(out.write);
  Pipe::close_end(err.write);
  Finished finished;
  read_both(child, limits, out, err, finished);
  const int status = wait_for_end(child);
  if (WIFEXITED(status)) finished.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) finished.signal = WTERMSIG(status);
  return finished;
}

}  // namespace

Result<Finished> run_program(const std::vector<std::string>& arguments,
                             const ProgramLimits& limits) {
  Pipe out, err, problem;
  if (out.read < 0 || err.read < 0 || problem.read < 0)
    return failure(fmt::format("no pipe to {}: {}", arguments[0], std::strerror(errno)));
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) become_program(words.data(), out, err, problem, parent);
  const int error = child < 0 ? errno : starting_problem(problem);
  if (child >= 0 && error != 0) wait_for_end(child);
  if (error != 0)
    return failure(fmt::format("{} cannot be started: {}", arguments[0], std::strerror(error)));
  return outcome_of(child, limits, out, err);
}

int wait_for_end(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string what_ended_it(int signal) {
  const char* shortened = system_calls::signal_name(signal);
  const std::string name =
      shortened != nullptr ? fmt::format("SIG{}", shortened) : fmt::format("signal {}", signal);
  if (signal == SIGKILL)
    return fmt::format("was killed ({}), as the system does when memory ends", name);
  return fmt::format("crashed ({}: {})", name, ::strsignal(signal));
}

std::string last_words(std::string errors) {
  while (!errors.empty() && (errors.back() == '\n' || errors.back() == '\r')) errors.pop_back();
  if (const std::size_t start = errors.find_last_of("\r\n"); start != std::string::npos)
    errors.erase(0, start + 1);
  constexpr std::string_view kPrefix = "strata: ";
  return errors.starts_with(kPrefix) ? errors.substr(kPrefix.size()) : errors;
}

}  // namespace strata
