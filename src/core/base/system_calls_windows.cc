// Compiled for Windows by `make windows`.
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>

#include <fmt/format.h>

#include "base/system_calls.h"

namespace strata::system_calls {

namespace {

std::uint64_t ticks_of(const FILETIME& time) {
  return static_cast<std::uint64_t>(time.dwHighDateTime) << 32 | time.dwLowDateTime;
}

}  // namespace

const int kReceiveClosedOnExec = 0;
const int kMapFilled = 0;

int make_memory_file(const char*) {
  errno = ENOSYS;
  return -1;
}
std::string path_of_descriptor(int) { return ""; }

std::string file_at_standard_input() {
  const HANDLE input = GetStdHandle(STD_INPUT_HANDLE);
  char path[MAX_PATH];
  if (GetFileType(input) != FILE_TYPE_DISK) return "";
  const DWORD size = GetFinalPathNameByHandleA(input, path, sizeof path, FILE_NAME_NORMALIZED);
  return size > 0 && size < sizeof path ? path : "";
}

std::string own_program_file() {
  char path[MAX_PATH];
  const DWORD size = GetModuleFileNameA(nullptr, path, sizeof path);
  return size > 0 && size < sizeof path ? path : "";
}
std::string own_program_to_start() { return own_program_file(); }

std::array<std::uint64_t, 2> random_words() {
  std::random_device random;
  std::array<std::uint64_t, 2> words{};
  for (std::uint64_t& word : words) word = std::uint64_t{random()} << 32 | random();
  return words;
}

// No process is started on Windows.
bool make_pipe(int (&)[2]) {
  errno = ENOSYS;
  return false;
}
bool make_socket_pair(int (&)[2]) {
  errno = ENOSYS;
  return false;
}
void close_from_on_exec(int) {}
void end_with_parent(int) {}

void call_at_exit(void (*leave)(int exit_code)) {
  static void (*called)(int) = nullptr;
  called = leave;
  std::atexit([] { called(EXIT_FAILURE); });
}

int sync_data(int descriptor) { return ::fsync(descriptor); }

const char* signal_name(int signal) {
  switch (signal) {
    case SIGABRT:
      return "ABRT";
    case SIGFPE:
      return "FPE";
    case SIGILL:
      return "ILL";
    case SIGINT:
      return "INT";
    case SIGSEGV:
      return "SEGV";
    case SIGTERM:
      return "TERM";
    default:
      return nullptr;
  }
}
const char* signal_meaning(int signal) { return signal_name(signal); }

int usable_processors() {
  DWORD_PTR own = 0, all = 0;
  if (!GetProcessAffinityMask(GetCurrentProcess(), &own, &all)) return 0;
  return static_cast<int>(__builtin_popcountll(own));
}

bool other_threads_are_busy() { return false; }

std::size_t last_of(std::string_view text, char letter) { return text.rfind(letter); }

std::timespec modified_at(const struct stat& status) { return {status.st_mtime, 0}; }

// Windows has no number of its start; the second in which it started serves as one.
std::string boot_identity() {
  FILETIME now;
  GetSystemTimeAsFileTime(&now);
  const std::uint64_t start = ticks_of(now) / 10'000'000 - GetTickCount64() / 1000;
  return fmt::format("{:08x}", static_cast<std::uint32_t>(start / 60));
}

std::uint64_t start_of_process(pid_t process) {
  const HANDLE handle =
      OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, static_cast<DWORD>(process));
  if (handle == nullptr) return 0;
  FILETIME made{}, ended, kernel, user;
  GetProcessTimes(handle, &made, &ended, &kernel, &user);
  CloseHandle(handle);
  return ticks_of(made);
}

void trim_heap() {}
void keep_heap_small() {}

}  // namespace strata::system_calls
