// Compiled and linked for macOS by `make macos`, and never run there.
#include <fcntl.h>
#include <limits.h>
#include <mach-o/dyld.h>
#include <sys/param.h>
#include <sys/socket.h>
#include <sys/sysctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "base/system_calls.h"

namespace strata::system_calls {

namespace {

bool close_both_on_exec(const int (&ends)[2]) {
  for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  return true;
}

// The kernel's answer, which has this type; false if it has none.
template <class Answer, std::size_t kSize>
bool ask_kernel(int (&question)[kSize], Answer& answer) {
  std::size_t size = sizeof answer;
  return ::sysctl(question, kSize, &answer, &size, nullptr, 0) == 0 && size == sizeof answer;
}

}  // namespace

const int kReceiveClosedOnExec = 0;  // the receiver sets it afterwards
const int kMapFilled = 0;

int make_memory_file(const char*) {
  std::error_code error;
  std::string path = (std::filesystem::temp_directory_path(error) / "strata.XXXXXX").string();
  const int file = ::mkostemp(path.data(), O_CLOEXEC);
  if (file >= 0) ::unlink(path.c_str());  // the name goes, and the file stays while it is open
  return file;
}

std::string path_of_descriptor(int descriptor) { return fmt::format("/dev/fd/{}", descriptor); }

std::string file_at_standard_input() {
  char path[PATH_MAX];
  struct stat status {};
  const bool is_file = ::fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode);
  return is_file && ::fcntl(STDIN_FILENO, F_GETPATH, path) == 0 ? path : "";
}

std::string own_program_file() {
  char path[PATH_MAX];
  std::uint32_t size = sizeof path;
  if (::_NSGetExecutablePath(path, &size) != 0) return "";
  std::error_code error;
  return std::filesystem::canonical(path, error).string();
}
std::string own_program_to_start() { return own_program_file(); }

std::array<std::uint64_t, 2> random_words() {
  std::array<std::uint64_t, 2> words{};
  ::arc4random_buf(words.data(), sizeof words);
  return words;
}

bool make_pipe(int (&ends)[2]) { return ::pipe(ends) == 0 && close_both_on_exec(ends); }
bool make_socket_pair(int (&ends)[2]) {
  return ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && close_both_on_exec(ends);
}

void close_from_on_exec(int first) {
  const int most = std::min(::getdtablesize(), 4096);
  for (int descriptor = first; descriptor < most; ++descriptor)
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

void end_with_parent(int) {}  // macOS has nothing like it; a worker ends when its socket closes

void call_at_exit(void (*leave)(int exit_code)) {
  static void (*called)(int) = nullptr;
  called = leave;
  std::atexit([] { called(EXIT_FAILURE); });
}

int sync_data(int descriptor) { return ::fsync(descriptor); }

// `sys_signame` has small letters.
const char* signal_name(int signal) {
  static std::array<std::string, NSIG> names;
  if (signal <= 0 || signal >= NSIG) return nullptr;
  std::string& name = names[static_cast<std::size_t>(signal)];
  name = ::sys_signame[signal];
  for (char& letter : name)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  return name.c_str();
}
const char* signal_meaning(int signal) { return ::strsignal(signal); }

int usable_processors() { return static_cast<int>(std::thread::hardware_concurrency()); }

bool other_threads_are_busy() { return false; }

std::size_t last_of(std::string_view text, char letter) { return text.rfind(letter); }

std::timespec modified_at(const struct stat& status) { return status.st_mtimespec; }

std::string boot_identity() {
  int question[] = {CTL_KERN, KERN_BOOTTIME};
  timeval boot{};
  if (!ask_kernel(question, boot)) return "";
  return fmt::format("{:08x}", static_cast<std::uint32_t>(boot.tv_sec));
}

std::uint64_t start_of_process(pid_t process) {
  int question[] = {CTL_KERN, KERN_PROC, KERN_PROC_PID, process};
  kinfo_proc facts{};
  if (!ask_kernel(question, facts)) return 0;
  const timeval start = facts.kp_proc.p_starttime;
  return static_cast<std::uint64_t>(start.tv_sec) * 1'000'000 +
         static_cast<std::uint64_t>(start.tv_usec);
}

void trim_heap() {}
void keep_heap_small() {}

}  // namespace strata::system_calls
