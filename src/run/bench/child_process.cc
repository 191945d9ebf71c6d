#include "bench/child_process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "base/system_calls.h"
#include "bench/own_program.h"
#include "engine/confine.h"
#include "strata/base/scratch_folder.h"
#include "strata/bench/child.h"

extern "C" char** environ;  // which macOS declares nowhere

namespace strata {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kCannotStart = 127;      // exit code, as in a shell
constexpr double kGraceSeconds = 1.0;  // to exit
constexpr std::string_view kMark = "STRATA_WORKER", kConfined = "confined", kTrusted = "trusted";
// A child that sends or takes half a message and then nothing for so long is given up.
constexpr timeval kHalfMessage{.tv_sec = 30, .tv_usec = 0};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Runs after fork, and calls only what is safe between fork and exec. Does not return.
[[noreturn]] void become_child(const char* program, char** environment, int socket, int errors,
                               pid_t parent, std::int64_t memory_bytes) {
  system_calls::end_with_parent(SIGKILL);  // leaves no orphans
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
  ::setrlimit(RLIMIT_CORE, &no_core);  // a crash gives a sentence, not a core file
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  // Moves both away from the descriptors that they will be copied to.
  const int own_socket = ::fcntl(socket, F_DUPFD_CLOEXEC, 10);
  const int own_errors = ::fcntl(errors, F_DUPFD_CLOEXEC, 10);
  ::dup2(null, STDIN_FILENO);
  ::dup2(null, STDOUT_FILENO);  // stdout belongs to the parent, and engines print
  ::dup2(own_errors, STDERR_FILENO);
  ::dup2(own_socket, kWorkerFd);
  // The child gets nothing else that is open here: a shell may have left descriptors of files.
  system_calls::close_from_on_exec(kWorkerFd + 1);
  char worker[] = "worker";
  char* const words[] = {const_cast<char*>(program), worker, nullptr};
  ::execve(program, words, environment);
  ::_exit(kCannotStart);
}

}  // namespace

std::string signal_text(int number) {
  const char* name = system_calls::signal_name(number);
  const char* meaning = system_calls::signal_meaning(number);
  return fmt::format("SIG{} ({})", name != nullptr ? name : std::to_string(number),
                     meaning != nullptr ? meaning : "?");
}

struct ChildProcess::State {
  pid_t pid = -1;
  int socket = -1;
  int errors = -1;  // what it writes to stderr, in memory
  std::string program;
  std::optional<ScratchFolder> scratch;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (socket >= 0) ::close(socket);  // the child exits when it reads the end of file
    wait();
    if (errors >= 0) ::close(errors);
  }

  int wait();  // its status
  std::string last_words() const;
};

int ChildProcess::State::wait() {
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

std::string ChildProcess::State::last_words() const {
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

ChildProcess::ChildProcess(std::unique_ptr<State> state) : state_(std::move(state)) {}
ChildProcess::ChildProcess(ChildProcess&&) noexcept = default;
ChildProcess& ChildProcess::operator=(ChildProcess&&) noexcept = default;
ChildProcess::~ChildProcess() = default;

int ChildProcess::socket() const { return state_->socket; }
const std::string& ChildProcess::program() const { return state_->program; }
std::string ChildProcess::scratch() const { return state_->scratch ? state_->scratch->path() : ""; }
bool ChildProcess::is_there() const { return state_->pid >= 0; }
void ChildProcess::kill() {
  if (is_there()) ::kill(state_->pid, SIGKILL);
}

ChildEnd ChildProcess::wait_for_end() {
  const int status = state_->wait();
  ChildEnd end;
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  end.exit_code = end.signal == 0 ? WEXITSTATUS(status) : 0;
  end.not_started = end.signal == 0 && end.exit_code == kCannotStart;
  end.last_words = state_->last_words();
  return end;
}

Result<ChildProcess> ChildProcess::start(const std::string& program, const ChildOptions& options) {
  if (is_unready_worker())
    return failure("this program was started as a worker, and does not call worker_main()",
                   ErrorKind::Usage);
  auto state = std::make_unique<State>();
  state->program = program;
  if (!options.trust_model) {
    if (const Status can = can_confine(); !can) return failure(can);
    auto scratch = ScratchFolder::create();
    if (!scratch) return failure(scratch);
    state->scratch.emplace(std::move(*scratch));
  }
  if (program.empty()) {
    auto own = own_program();
    if (!own) return failure(own);
    state->program = std::move(*own);
  }
  const auto cannot = [](const char* what) {
    return failure(fmt::format("no child process: {}: {}", what, std::strerror(errno)));
  };
  int ends[2] = {-1, -1};
  if (!system_calls::make_socket_pair(ends)) return cannot("socketpair");
  state->socket = ends[0];
  for (const int limit : {SO_RCVTIMEO, SO_SNDTIMEO})
    ::setsockopt(ends[0], SOL_SOCKET, limit, &kHalfMessage, sizeof kHalfMessage);
  state->errors = system_calls::make_memory_file("strata worker");
  if (state->errors < 0) {
    ::close(ends[1]);
    return cannot("a file in memory");
  }
  std::string mark = fmt::format("{}={}", kMark, options.trust_model ? kTrusted : kConfined);
  constexpr std::string_view kFolder = "TMPDIR=";
  std::string folder = std::string(kFolder) + (state->scratch ? state->scratch->path() : "");
  std::vector<char*> environment;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (!state->scratch || !std::string_view(*entry).starts_with(kFolder))
      environment.push_back(*entry);
  environment.push_back(mark.data());
  if (state->scratch) environment.push_back(folder.data());
  environment.push_back(nullptr);
  const pid_t parent = ::getpid();
  state->pid = ::fork();
  if (state->pid == 0)
    become_child(state->program.c_str(), environment.data(), ends[1], state->errors, parent,
                 options.memory_bytes);
  ::close(ends[1]);
  if (state->pid < 0) return cannot("fork");
  return ChildProcess(std::move(state));
}

bool is_unready_worker() { return std::getenv(kMark.data()) != nullptr; }

Result<std::string> become_ready_worker(int in, int out) {
  const char* mark = std::getenv(kMark.data());
  const bool is_confined = mark != nullptr && mark == kConfined;
  ::unsetenv(kMark.data());
  // Programs that a worker starts have no part in it.
  for (const int fd : {in, out}) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  if (!is_confined) return "";
  const char* variable = std::getenv("TMPDIR");
  std::string folder = variable != nullptr ? variable : "";
  if (const Status status = confine(folder); !status) return failure(status);
  return folder;
}

}  // namespace strata
