// The POSIX names that Windows' C library lacks and strata calls. CMake makes every file include
// this one on Windows, where <sys/mman.h>, <poll.h> and the like are empty. Functions that Windows
// has no counterpart of fail with ENOSYS: nothing there starts or watches a process.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

// Flags of open(). A handle is inherited only by programs that are told to.
#define O_CLOEXEC O_NOINHERIT
#define O_NONBLOCK 0
#define O_NOFOLLOW 0
#define O_DIRECTORY 0
#define F_GETFD 1
#define F_SETFD 2
#define F_DUPFD_CLOEXEC 1030
#define FD_CLOEXEC 1

// Files.
#define EDQUOT 122
#define LOCK_EX 2
#define LOCK_NB 4
inline int lstat(const char* path, struct stat* status) { return stat(path, status); }
inline int fsync(int descriptor) { return _commit(descriptor); }
int fcntl(int descriptor, int question, ...);
int fchmod(int descriptor, mode_t mode);
int flock(int descriptor, int kind);
int openat(int folder, const char* path, int flags, ...);
ssize_t pread(int descriptor, void* data, size_t size, off_t at);
char* mkdtemp(char* path);
unsigned geteuid();

// Memory. Only whole files are mapped, for reading, and memory without a file.
#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_ANONYMOUS 0x20
#define MAP_FAILED (reinterpret_cast<void*>(-1))
#define MADV_RANDOM 1
#define MADV_WILLNEED 3
#define MADV_DONTNEED 4
#define _SC_PAGESIZE 30
#define _SC_CLK_TCK 2
void* mmap(void* wanted, size_t size, int access, int kind, int descriptor, off_t at);
int munmap(void* memory, size_t size);
int madvise(void* memory, size_t size, int advice);
long sysconf(int what);

// Libraries.
#define RTLD_LAZY 1
#define RTLD_NOW 2
#define RTLD_LOCAL 0
#define RTLD_GLOBAL 0x100
#define RTLD_NOLOAD 4
struct Dl_info {
  const char* dli_fname;
  void* dli_fbase;
  const char* dli_sname;
  void* dli_saddr;
};
void* dlopen(const char* file, int flags);
void* dlsym(void* library, const char* name);
int dlclose(void* library);
char* dlerror();
int dladdr(const void* address, Dl_info* found);

// The terminal.
#define TIOCGWINSZ 1
struct winsize {
  unsigned short ws_row, ws_col;
};
int ioctl(int descriptor, int question, winsize* size);

// Signals, of which Windows has SIGINT, SIGTERM and those of crashes.
#define SIGHUP 1
#define SIGBUS 7
#define SIGKILL 9
#define SIGPIPE 13
#define SIGALRM 14
#define SIGXCPU 24
#define SIGXFSZ 25
#define SIGSYS 31
#define SA_SIGINFO 4
#define SA_RESTART 0
#define SA_RESETHAND 1
#define BUS_ADRERR 2
#define BUS_OBJERR 3
struct siginfo_t {
  int si_code;
};
struct sigaction {
  void (*sa_handler)(int);
  void (*sa_sigaction)(int, siginfo_t*, void*);
  int sa_flags, sa_mask;
};
int sigaction(int signal, const struct sigaction* next, struct sigaction* before);
inline int sigemptyset(int* mask) { return *mask = 0; }
const char* strsignal(int signal);

// Processes: none can be started, so nothing waits for one.
#define WNOHANG 1
#define WIFEXITED(status) ((status) >= 0)
#define WEXITSTATUS(status) (status)
#define WIFSIGNALED(status) ((status) < 0)
#define WTERMSIG(status) (-(status))
#define RUSAGE_SELF 0
#define RLIMIT_CORE 4
#define RLIMIT_AS 9
struct rusage {
  struct {
    long tv_sec, tv_usec;
  } ru_utime, ru_stime;
  long ru_nivcsw, ru_maxrss;
};
using rlim_t = uint64_t;
struct rlimit {
  rlim_t rlim_cur, rlim_max;
};
int getrusage(int whose, rusage* usage);
int setrlimit(int what, const rlimit* limit);
pid_t fork();
pid_t getppid();
pid_t waitpid(pid_t process, int* status, int flags);
int kill(pid_t process, int signal);
int unsetenv(const char* name);

// Sockets and pipes between processes.
#define AF_UNIX 1
#define SOCK_STREAM 1
#define SOL_SOCKET 1
#define SO_RCVTIMEO 20
#define SO_SNDTIMEO 21
#define SCM_RIGHTS 1
#define MSG_NOSIGNAL 0
#define POLLIN 1
#define POLLERR 8
#define POLLHUP 16
struct iovec {
  void* iov_base;
  size_t iov_len;
};
struct cmsghdr {
  size_t cmsg_len;
  int cmsg_level, cmsg_type;
};
struct msghdr {
  iovec* msg_iov;
  size_t msg_iovlen;
  void* msg_control;
  size_t msg_controllen;
};
#define CMSG_LEN(size) (sizeof(cmsghdr) + (size))
#define CMSG_SPACE(size) CMSG_LEN(size)
#define CMSG_DATA(head) ((unsigned char*)((head) + 1))
#define CMSG_FIRSTHDR(message) (static_cast<cmsghdr*>((message)->msg_control))
#define SHUT_RD 0
#define SHUT_RDWR 2
int setsockopt(int socket, int level, int option, const void* value, int size);
int shutdown(int socket, int how);
ssize_t send(int socket, const void* data, size_t size, int flags);
ssize_t sendmsg(int socket, const msghdr* message, int flags);
ssize_t recvmsg(int socket, msghdr* message, int flags);
struct pollfd {
  int fd;
  short events, revents;
};
int poll(pollfd* waiting, unsigned long count, int milliseconds);

// The machine.
struct utsname {
  char sysname[65], release[65];
};
int uname(utsname* name);
