// The parent's side of a worker: starts the child, asks, waits, and says how it ended.
#include "bench/worker.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "bench/message.h"
#include "strata/base/number_text.h"

namespace strata {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kCannotStart = 127;      // exit code, as in a shell
constexpr double kGraceSeconds = 1.0;  // to finish an answer, or to exit

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

tl::unexpected<WorkerError> failed(Failure failure, std::string reason) {
  return tl::unexpected(WorkerError{failure, std::move(reason)});
}

// Runs after fork, and calls only what is safe between fork and exec. Does not return.
[[noreturn]] void become_worker(const char* program, int socket, int errors, pid_t parent,
                                std::int64_t memory_bytes) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // leaves no orphans
  if (::getppid() != parent) ::_exit(kCannotStart);
  // Both signals go to all processes of a terminal or job. The parent handles them: it collects
  // results, then ends us.
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGTERM, SIG_IGN);
  ::signal(SIGPIPE, SIG_DFL);
  if (memory_bytes > 0) {
    const rlimit limit{static_cast<rlim_t>(memory_bytes), static_cast<rlim_t>(memory_bytes)};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);  // a crash gives a row in the table, not a core file
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  // Moves both away from the descriptors that they will be copied to.
  const int own_socket = ::fcntl(socket, F_DUPFD_CLOEXEC, 10);
  const int own_errors = ::fcntl(errors, F_DUPFD_CLOEXEC, 10);
  ::dup2(null, STDIN_FILENO);
  ::dup2(null, STDOUT_FILENO);  // stdout belongs to the parent, and engines print
  ::dup2(own_errors, STDERR_FILENO);
  ::dup2(own_socket, kWorkerFd);
  ::execl(program, program, "worker", static_cast<char*>(nullptr));
  ::_exit(kCannotStart);
}

std::string signal_text(int number) {
  const char* name = ::sigabbrev_np(number);
  const char* meaning = ::sigdescr_np(number);
  return fmt::format("SIG{} ({})", name != nullptr ? name : std::to_string(number),
                     meaning != nullptr ? meaning : "?");
}

}  // namespace

std::string_view failure_name(Failure failure) {
  switch (failure) {
    case Failure::None:
      return "";
    case Failure::Refused:
      return "refused";
    case Failure::Crashed:
      return "crashed";
    case Failure::TimedOut:
      return "timed out";
    case Failure::OutOfMemory:
      return "out of memory";
    case Failure::WrongAnswer:
      return "wrong answer";
  }
  return "?";
}

struct Worker::Child {
  pid_t pid = -1;
  int socket = -1;
  int errors = -1;  // what it writes to stderr, in memory
  std::string program;
  Variant variant;
  WorkerLimits limits;

  Child() = default;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (socket >= 0) ::close(socket);  // the child exits when it reads the end of file
    wait_for_end();
    if (errors >= 0) ::close(errors);
  }

  WorkerResult<std::string> ask(const MessageWriter& request);

 private:
  bool stopped() const { return limits.stop != nullptr && limits.stop->load(); }
  // True if there is something to read.
  WorkerResult<void> wait_for_answer(Clock::time_point start) const;
  WorkerResult<std::string> read_answer(Clock::time_point start);
  int wait_for_end();  // its status; killed if it does not end by itself
  WorkerError how_it_ended();
  std::string last_words() const;
};

int Worker::Child::wait_for_end() {
  int status = 0;
  if (pid < 0) return status;
  const Clock::time_point start = Clock::now();
  pid_t ended = 0;
  auto pause = std::chrono::microseconds(100);
  while ((ended = ::waitpid(pid, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
    if (seconds_since(start) > kGraceSeconds) {
      ::kill(pid, SIGKILL);
      while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
      }
      break;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::microseconds(20000));
  }
  pid = -1;
  return status;
}

// The last line that it wrote to stderr.
std::string Worker::Child::last_words() const {
  const off_t size = ::lseek(errors, 0, SEEK_END);
  constexpr off_t kMost = 4096;
  std::string text(static_cast<std::size_t>(std::clamp<off_t>(size, 0, kMost)), '\0');
  const ssize_t got = ::pread(errors, text.data(), text.size(), std::max<off_t>(0, size - kMost));
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  text.erase(0, text.rfind('\n') + 1);
  if (text.size() > 300) text = text.substr(0, 300) + "…";
  return text;
}

WorkerError Worker::Child::how_it_ended() {
  const int status = wait_for_end();
  const std::string words = last_words();
  const std::string said = words.empty() ? "" : fmt::format("; its last words: {}", words);
  const std::string limited =
      limits.memory_bytes > 0
          ? fmt::format("; it may take {}", human_bytes(static_cast<double>(limits.memory_bytes)))
          : "";
  const auto mentions = [&](std::string_view part) { return words.find(part) != words.npos; };
  const bool memory = mentions("bad_alloc") || mentions("Cannot allocate memory") ||
                      mentions("out of memory") || mentions("bad allocation");
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    if (number == SIGKILL)
      return {Failure::OutOfMemory,
              fmt::format("ended by {}, as the system does when memory runs out{}",
                          signal_text(number), said)};
    return {memory ? Failure::OutOfMemory : Failure::Crashed,
            fmt::format("ended by {}{}{}", signal_text(number), limited, said)};
  }
  const int code = WEXITSTATUS(status);
  if (code == kCannotStart)
    return {Failure::Crashed, fmt::format("{} could not be started{}", program, said)};
  return {memory ? Failure::OutOfMemory : Failure::Crashed,
          fmt::format("left with exit code {} and no answer{}{}", code, limited, said)};
}

WorkerResult<void> Worker::Child::wait_for_answer(Clock::time_point start) const {
  Clock::time_point stop_seen{};
  while (true) {
    pollfd event{socket, POLLIN, 0};
    const int ready = ::poll(&event, 1, 100);
    if (ready > 0) return {};
    if (seconds_since(start) > limits.timeout_seconds) {
      ::kill(pid, SIGKILL);
      return failed(Failure::TimedOut,
                    fmt::format("gave no answer in {} s; it was ended", limits.timeout_seconds));
    }
    if (!stopped()) continue;
    // An answer that is on its way may still arrive.
    if (stop_seen == Clock::time_point{}) stop_seen = Clock::now();
    if (seconds_since(stop_seen) > kGraceSeconds) {
      ::kill(pid, SIGKILL);
      return failed(Failure::None, "stopped");
    }
  }
}

WorkerResult<std::string> Worker::Child::read_answer(Clock::time_point start) {
  const auto read_part = [&](char* data, std::size_t size) -> WorkerResult<void> {
    while (size > 0) {
      if (auto ready = wait_for_answer(start); !ready) return ready;
      const ssize_t got = ::read(socket, data, size);
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (got <= 0) return tl::unexpected(how_it_ended());
      data += got;
      size -= static_cast<std::size_t>(got);
    }
    return {};
  };
  FrameHead head;
  if (auto part = read_part(reinterpret_cast<char*>(&head), sizeof head); !part)
    return failure(part);
  if (head.magic != FrameHead::kMagic)
    return failed(Failure::Crashed,
                  fmt::format("{} is no strata of this version: it does not answer", program));
  std::string bytes;
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 24;
  while (bytes.size() < head.bytes) {
    const std::size_t before = bytes.size();
    bytes.resize(before + std::min(kPiece, head.bytes - before));
    if (auto part = read_part(bytes.data() + before, bytes.size() - before); !part)
      return failure(part);
  }
  return bytes;
}

WorkerResult<std::string> Worker::Child::ask(const MessageWriter& request) {
  if (pid < 0) return failed(Failure::Crashed, "asked after its end");
  const Clock::time_point start = Clock::now();
  if (!write_frame(socket, request.bytes())) return tl::unexpected(how_it_ended());
  auto bytes = read_answer(start);
  if (!bytes) wait_for_end();
  return bytes;
}

Worker::Worker(std::unique_ptr<Child> child) : child_(std::move(child)) {}
Worker::Worker(Worker&&) noexcept = default;
Worker& Worker::operator=(Worker&&) noexcept = default;
Worker::~Worker() = default;

WorkerResult<Worker> Worker::start(const Variant& variant, const WorkerLimits& limits,
                                   const std::string& program) {
  auto child = std::make_unique<Child>();
  child->variant = variant;
  child->limits = limits;
  child->program = program.empty() ? "/proc/self/exe" : program;
  const auto cannot = [](const char* what) {
    return failed(Failure::Crashed,
                  fmt::format("no child process: {}: {}", what, std::strerror(errno)));
  };
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return cannot("socketpair");
  child->socket = ends[0];
  child->errors = ::memfd_create("strata worker", MFD_CLOEXEC);
  if (child->errors < 0) {
    ::close(ends[1]);
    return cannot("memfd_create");
  }
  const pid_t parent = ::getpid();
  child->pid = ::fork();
  if (child->pid == 0)
    become_worker(child->program.c_str(), ends[1], child->errors, parent, limits.memory_bytes);
  ::close(ends[1]);
  if (child->pid < 0) return cannot("fork");
  return Worker(std::move(child));
}

namespace {

// The failure that the answer reports, or the value that was asked for.
template <class T>
WorkerResult<T> read_reply(const WorkerResult<std::string>& bytes) {
  if (!bytes) return failure(bytes);
  MessageReader in(*bytes);
  Failure own{};
  in.take(own);
  if (own != Failure::None) {
    std::string reason;
    in.take(reason);
    return failed(own, std::move(reason));
  }
  T report;
  in.take(report);
  if (!in.good()) return failed(Failure::Crashed, "an answer that ends too early");
  return report;
}

}  // namespace

WorkerResult<OpenReport> Worker::open() {
  MessageWriter request;
  request.put(Request::Open);
  request.put(child_->variant);
  return read_reply<OpenReport>(child_->ask(request));
}

WorkerResult<std::vector<HostTensor>> Worker::outputs() {
  MessageWriter request;
  request.put(Request::Outputs);
  return read_reply<std::vector<HostTensor>>(child_->ask(request));
}

WorkerResult<BlockReport> Worker::run(int count, double max_seconds) {
  MessageWriter request;
  request.put(Request::Run);
  request.put(std::int64_t{count});
  request.put(max_seconds);
  return read_reply<BlockReport>(child_->ask(request));
}

WorkerResult<BlockReport> Worker::run_at(const std::vector<double>& moments) {
  MessageWriter request;
  request.put(Request::RunAt);
  request.put(moments);
  return read_reply<BlockReport>(child_->ask(request));
}

}  // namespace strata
