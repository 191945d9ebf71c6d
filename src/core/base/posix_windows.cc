// Implements posix_windows.h with Windows' own calls.
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <psapi.h>

#include <algorithm>
#include <random>
#include <string>

namespace {

template <class Answer>
Answer fail(int error, Answer answer) {
  errno = error;
  return answer;
}

HANDLE handle_of(int descriptor) { return reinterpret_cast<HANDLE>(_get_osfhandle(descriptor)); }

// C's files would translate line ends otherwise, and models are binary.
[[maybe_unused]] const int kBinary = [] {
  _set_fmode(_O_BINARY);
  for (const int descriptor : {0, 1, 2}) _setmode(descriptor, _O_BINARY);
  SetConsoleOutputCP(CP_UTF8);
  return 0;
}();

std::string last_library_error;

}  // namespace

int fcntl(int descriptor, int question, ...) {
  if (handle_of(descriptor) == INVALID_HANDLE_VALUE) return fail(EBADF, -1);
  return question == F_GETFD ? FD_CLOEXEC : 0;
}
int fchmod(int, mode_t) { return 0; }  // the new file has the rights of its folder
int openat(int, const char*, int, ...) { return fail(ENOSYS, -1); }
unsigned geteuid() { return 0; }  // as in stat()

int flock(int descriptor, int kind) {
  OVERLAPPED whole{};
  DWORD flags = (kind & LOCK_EX) != 0 ? LOCKFILE_EXCLUSIVE_LOCK : 0;
  if ((kind & LOCK_NB) != 0) flags |= LOCKFILE_FAIL_IMMEDIATELY;
  // A byte far behind the contents: Windows' locks keep others from reading what they cover.
  whole.OffsetHigh = 0x7fffffff;
  return LockFileEx(handle_of(descriptor), flags, 0, 1, 0, &whole) ? 0 : fail(EWOULDBLOCK, -1);
}

ssize_t pread(int descriptor, void* data, size_t size, off_t at) {
  OVERLAPPED place{};
  place.Offset = static_cast<DWORD>(at);
  place.OffsetHigh = static_cast<DWORD>(static_cast<uint64_t>(at) >> 32);
  DWORD got = 0;
  const auto most = static_cast<DWORD>(std::min<size_t>(size, 1U << 30));
  if (ReadFile(handle_of(descriptor), data, most, &got, &place)) return got;
  return GetLastError() == ERROR_HANDLE_EOF ? 0 : fail(EIO, ssize_t{-1});
}

char* mkdtemp(char* path) {
  constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  constexpr int kAttempts = 100;
  char* const end = path + strlen(path) - 6;
  std::random_device random;
  for (int i = 0; i < kAttempts; ++i) {
    for (int at = 0; at < 6; ++at) end[at] = kLetters[random() % (sizeof kLetters - 1)];
    if (CreateDirectoryA(path, nullptr)) return path;
    if (GetLastError() != ERROR_ALREADY_EXISTS) return fail(EACCES, nullptr);
  }
  return fail(EEXIST, nullptr);
}

// Files are mapped whole, so one view has the address that munmap() gets. Memory without a file is
// a view of the paging file, so both are given back in the same way.
void* mmap(void*, size_t size, int access, int kind, int descriptor, off_t) {
  const bool anonymous = (kind & MAP_ANONYMOUS) != 0;
  const bool writes = (access & PROT_WRITE) != 0;
  const HANDLE file = anonymous ? INVALID_HANDLE_VALUE : handle_of(descriptor);
  const DWORD high = anonymous ? static_cast<DWORD>(static_cast<uint64_t>(size) >> 32) : 0;
  const DWORD low = anonymous ? static_cast<DWORD>(size) : 0;
  const HANDLE mapping = CreateFileMappingA(file, nullptr, writes ? PAGE_READWRITE : PAGE_READONLY,
                                            high, low, nullptr);
  if (mapping == nullptr) return fail(ENOMEM, MAP_FAILED);
  void* const view = MapViewOfFile(mapping, writes ? FILE_MAP_WRITE : FILE_MAP_READ, 0, 0, size);
  CloseHandle(mapping);  // the view keeps it
  return view == nullptr ? fail(ENOMEM, MAP_FAILED) : view;
}
int munmap(void* memory, size_t) { return UnmapViewOfFile(memory) ? 0 : fail(EINVAL, -1); }
int madvise(void*, size_t, int) { return 0; }  // Windows decides for itself
long sysconf(int what) {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return what == _SC_PAGESIZE ? static_cast<long>(info.dwPageSize) : fail(EINVAL, -1L);
}

void* dlopen(const char* file, int flags) {
  const HMODULE library = (flags & RTLD_NOLOAD) != 0 ? GetModuleHandleA(file) : LoadLibraryA(file);
  if (library == nullptr)
    last_library_error = std::string(file) + ": Windows' error " + std::to_string(GetLastError());
  return reinterpret_cast<void*>(library);
}
void* dlsym(void* library, const char* name) {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}
int dlclose(void* library) { return FreeLibrary(static_cast<HMODULE>(library)) ? 0 : -1; }
char* dlerror() { return last_library_error.data(); }
int dladdr(const void* address, Dl_info* found) {
  static char path[MAX_PATH];
  HMODULE module = nullptr;
  const DWORD flags =
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  if (!GetModuleHandleExA(flags, static_cast<const char*>(address), &module) ||
      GetModuleFileNameA(module, path, sizeof path) == 0)
    return 0;
  *found = {path, module, nullptr, nullptr};
  return 1;
}

int ioctl(int descriptor, int, winsize* size) {
  CONSOLE_SCREEN_BUFFER_INFO info;
  if (!GetConsoleScreenBufferInfo(handle_of(descriptor), &info)) return fail(ENOTTY, -1);
  size->ws_col = static_cast<unsigned short>(info.srWindow.Right - info.srWindow.Left + 1);
  size->ws_row = static_cast<unsigned short>(info.srWindow.Bottom - info.srWindow.Top + 1);
  return 0;
}

// Windows resets a handler before it calls it, as SA_RESETHAND does; it gives no siginfo_t.
int sigaction(int number, const struct sigaction* next, struct sigaction* before) {
  if (number != SIGINT && number != SIGTERM) return fail(EINVAL, -1);
  const auto last = signal(number, next != nullptr ? next->sa_handler : SIG_DFL);
  if (before != nullptr) *before = {.sa_handler = last};
  return 0;
}
const char* strsignal(int) { return "a signal"; }

int getrusage(int, rusage* usage) {
  FILETIME made, ended, kernel, user;
  *usage = {};
  if (!GetProcessTimes(GetCurrentProcess(), &made, &ended, &kernel, &user)) return fail(EINVAL, -1);
  const auto parts = [](const FILETIME& time, auto& out) {
    const uint64_t ticks = static_cast<uint64_t>(time.dwHighDateTime) << 32 | time.dwLowDateTime;
    out.tv_sec = static_cast<long>(ticks / 10'000'000);
    out.tv_usec = static_cast<long>(ticks % 10'000'000 / 10);
  };
  parts(kernel, usage->ru_stime);
  parts(user, usage->ru_utime);
  PROCESS_MEMORY_COUNTERS memory{};
  if (GetProcessMemoryInfo(GetCurrentProcess(), &memory, sizeof memory))
    usage->ru_maxrss = static_cast<long>(memory.PeakWorkingSetSize >> 10);
  return 0;
}
int setrlimit(int, const rlimit*) { return fail(ENOSYS, -1); }
pid_t fork() { return fail(ENOSYS, pid_t{-1}); }
pid_t getppid() { return 0; }
pid_t waitpid(pid_t, int*, int) { return fail(ECHILD, pid_t{-1}); }
int kill(pid_t, int) { return fail(ENOSYS, -1); }
int unsetenv(const char* name) { return _putenv_s(name, ""); }
int setsockopt(int, int, int, const void*, int) { return fail(ENOSYS, -1); }
int shutdown(int, int) { return fail(ENOSYS, -1); }
ssize_t send(int, const void*, size_t, int) { return fail(ENOSYS, ssize_t{-1}); }
ssize_t sendmsg(int, const msghdr*, int) { return fail(ENOSYS, ssize_t{-1}); }
ssize_t recvmsg(int, msghdr*, int) { return fail(ENOSYS, ssize_t{-1}); }
int poll(pollfd*, unsigned long, int) { return fail(ENOSYS, -1); }

int uname(utsname* name) {
  *name = {"Windows", ""};
  return 0;
}
