// The ways in which an engine goes wrong, to order.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "session.h"

namespace strata::fake {

namespace {

[[noreturn]] void take_all_memory() {
  for (std::vector<std::unique_ptr<char[]>> taken;;)
    std::memset(taken.emplace_back(new char[1 << 26]).get(), 1, 1 << 26);
}

[[noreturn]] void never_return() {
  while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
}

// Does what a confined process is not allowed to do. Returns 0, or the error that it ends with.
int overreach(std::string_view way) {
  if (way == "write") {
    const int file = ::open("written_by_the_model", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    return file < 0 ? errno : ::close(file);
  }
  if (way == "connect") {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return socket < 0 ? errno : ::close(socket);
  }
  if (way == "fork") {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    return child < 0 ? errno : (::waitpid(child, nullptr, 0), 0);
  }
  ::execl("/bin/true", "true", nullptr);  // way == "start"
  return errno;
}

}  // namespace

StrataStatus misbehave(StrataSession& session, StrataError* error) {
  static std::atomic<std::int64_t> all_runs = 0;
  const std::int64_t earlier = all_runs++;
  const Options& options = session.options;
  const bool is_now =
      options.fail_after >= 0 ? earlier == options.fail_after : session.runs == options.fail_at;
  const std::string& way = options.fail;
  if (way.empty() || !is_now) return STRATA_OK;
  ++session.runs;
  if (way == "crash") std::abort();
  if (way == "exit") std::exit(3);
  if (way == "kill") std::raise(SIGKILL);
  if (way == "eat") take_all_memory();
  if (way == "stuck") never_return();
  if (way == "hang") {
    while (!session.cancelled) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return STRATA_OK;
  }
  for (const std::string_view more : {"write", "connect", "fork", "start"}) {
    if (way != more) continue;
    const int problem = overreach(way);
    if (problem == 0) return STRATA_OK;
    const std::string text = "cannot " + way + ": " + std::strerror(problem);
    return fail(error, STRATA_FAILED, text.c_str());
  }
  if (way == "oom")
    return fail(error, STRATA_OUT_OF_MEMORY, "no memory for a tensor, as asked for");
  return fail(error, STRATA_FAILED, "failed, as asked for");
}

void misbehave_if(const char* variable) {
  const char* value = std::getenv(variable);
  const std::string_view way = value != nullptr ? value : "";
  if (way == "crash") std::abort();
  if (way == "hang") never_return();
}

}  // namespace strata::fake
