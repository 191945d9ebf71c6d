#include "cli/engine_process.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include <fmt/format.h>

#include "task/subprocess.h"

namespace strata::cli {

namespace {

constexpr int kPassedOn[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

volatile pid_t g_child = 0;

// What a terminal sends goes to both processes anyway.
void pass_on(int signal, siginfo_t* info, void*) {
  const bool from_a_process = info->si_code <= 0;
  if (from_a_process) ::kill(g_child, signal);
}

// Ends this process as the child was: its caller is to see the same.
void end_likewise(int signal) {
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

}  // namespace

Result<std::optional<int>> go_on_in_child(const std::string& engine, const std::string& model) {
  std::fflush(nullptr);
  // Until both know what to do with them, signals wait.
  sigset_t passed_on, before;
  ::sigemptyset(&passed_on);
  for (const int signal : kPassedOn) ::sigaddset(&passed_on, signal);
  ::sigprocmask(SIG_BLOCK, &passed_on, &before);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child <= 0) {
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) ::_exit(1);
    }
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    return std::nullopt;
  }

  g_child = child;
  struct sigaction action {};
  action.sa_sigaction = pass_on;
  action.sa_flags = SA_SIGINFO;
  for (const int signal : kPassedOn) ::sigaction(signal, &action, nullptr);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  const int status = wait_for_end(child);
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  const int signal = WTERMSIG(status);
  for (const int asked : kPassedOn)
    if (signal == asked) end_likewise(signal);
  if (::isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\x1b[K");  // the progress
  return failure(
      fmt::format("{}: engine {} {}, and what it measured is lost; try another "
                  "--engine, --view or --threads",
                  model, engine, what_ended_it(signal)));
}

}  // namespace strata::cli
