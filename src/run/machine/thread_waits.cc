#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "strata/machine/contention.h"

namespace strata {

namespace {

// nullopt: the thread has ended, or the file is something else.
std::optional<SchedStat> read_schedstat(int fd) {
  char text[128];
  const ssize_t got = ::pread(fd, text, sizeof text, 0);
  if (got <= 0) return std::nullopt;
  return parse_schedstat({text, static_cast<std::size_t>(got)});
}

}  // namespace

ThreadWaits::ThreadWaits(std::string folder) : folder_(std::move(folder)) {
  look_for_threads();
  readable_ = !open_.empty();
}

ThreadWaits::~ThreadWaits() {
  for (const auto& [name, thread] : open_) ::close(thread.fd);
}

void ThreadWaits::look_for_threads() {
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator(folder_, error)) {
    const std::string name = task.path().filename().string();
    if (open_.contains(name)) continue;
    const int fd = ::open((task.path() / "schedstat").string().c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    const auto now = read_schedstat(fd);
    if (!now) {
      ::close(fd);
      continue;
    }
    open_.emplace(name, Thread{fd, now->wait_ns});
  }
}

double ThreadWaits::seconds() {
  std::int64_t sum = ended_ns_;
  for (auto at = open_.begin(); at != open_.end();) {
    Thread& thread = at->second;
    if (const auto now = read_schedstat(thread.fd)) {
      thread.wait_ns = std::max(thread.wait_ns, now->wait_ns);
      sum += thread.wait_ns;
      ++at;
      continue;
    }
    ended_ns_ += thread.wait_ns;
    sum += thread.wait_ns;
    ::close(thread.fd);
    at = open_.erase(at);
  }
  return 1e-9 * static_cast<double>(sum);
}

}  // namespace strata
