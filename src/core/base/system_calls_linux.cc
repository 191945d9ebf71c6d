#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sched.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "base/system_calls.h"

namespace strata::system_calls {

namespace {

constexpr const char* kOwnProgram = "/proc/self/exe";

std::string target_of(const char* link) {
  std::error_code error;
  return std::filesystem::read_symlink(link, error).string();
}

std::string contents_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

const int kReceiveClosedOnExec = MSG_CMSG_CLOEXEC;
const int kMapFilled = MAP_POPULATE;

int make_memory_file(const char* name) { return ::memfd_create(name, MFD_CLOEXEC); }

std::string path_of_descriptor(int descriptor) {
  return fmt::format("/proc/{}/fd/{}", ::getpid(), descriptor);
}

std::string file_at_standard_input() {
  std::string file = target_of("/proc/self/fd/0");
  std::error_code error;
  return std::filesystem::is_regular_file(file, error) ? file : "";
}

std::string own_program_file() { return target_of(kOwnProgram); }
std::string own_program_to_start() { return kOwnProgram; }

std::array<std::uint64_t, 2> random_words() {
  std::array<std::uint64_t, 2> words{};
  if (::getrandom(words.data(), sizeof words, GRND_NONBLOCK) != sizeof words)
    // Sixteen random bytes that the kernel gives every process.
    std::memcpy(words.data(), reinterpret_cast<const char*>(::getauxval(AT_RANDOM)), sizeof words);
  return words;
}

bool make_pipe(int (&ends)[2]) { return ::pipe2(ends, O_CLOEXEC) == 0; }
bool make_socket_pair(int (&ends)[2]) {
  return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
}

void close_from_on_exec(int first) {
  ::syscall(SYS_close_range, static_cast<unsigned>(first), ~0U, CLOSE_RANGE_CLOEXEC);
}

void end_with_parent(int signal) { ::prctl(PR_SET_PDEATHSIG, signal); }

void call_at_exit(void (*leave)(int exit_code)) {
  static void (*called)(int) = nullptr;
  called = leave;
  ::on_exit([](int exit_code, void*) { called(exit_code); }, nullptr);
}

int sync_data(int descriptor) { return ::fdatasync(descriptor); }

const char* signal_name(int signal) { return ::sigabbrev_np(signal); }
const char* signal_meaning(int signal) { return ::sigdescr_np(signal); }

int usable_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  return ::sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 0;
}

bool other_threads_are_busy() {
  const std::string own = std::to_string(::gettid());
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
    if (task.path().filename() == own) continue;
    const std::string text = contents_of((task.path() / "stat").string());
    const std::size_t state = text.rfind(") ");  // names may have brackets
    if (state != text.npos && text.compare(state + 2, 1, "R") == 0) return true;
  }
  return false;
}

// Faster than rfind(), which looks at one letter at a time.
std::size_t last_of(std::string_view text, char letter) {
  const void* at = text.empty() ? nullptr : ::memrchr(text.data(), letter, text.size());
  return at == nullptr ? text.npos
                       : static_cast<std::size_t>(static_cast<const char*>(at) - text.data());
}

std::timespec modified_at(const struct stat& status) { return status.st_mtim; }

std::string boot_identity() {
  constexpr std::size_t kDigits = 8;
  std::string text = contents_of("/proc/sys/kernel/random/boot_id");
  text.resize(text.size() < kDigits ? 0 : kDigits);
  return text;
}

// The 22nd field of `/proc/PID/stat`. The second one, a name in brackets, may hold spaces and
// brackets.
std::uint64_t start_of_process(pid_t process) {
  const std::string text = contents_of(fmt::format("/proc/{}/stat", process));
  std::size_t at = text.rfind(')');
  for (int field = 2; field < 22 && at != text.npos; ++field) at = text.find(' ', at + 1);
  std::uint64_t start = 0;
  if (at == text.npos) return start;
  const char* const begin = text.data() + at + 1;
  std::from_chars(begin, text.data() + text.size(), start);
  return start;
}

void trim_heap() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

void keep_heap_small() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}

}  // namespace strata::system_calls
