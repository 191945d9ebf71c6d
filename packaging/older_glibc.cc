// Functions of newer glibcs than 2.28 that strata calls: gettid is glibc 2.30's, the names of
// signals are 2.32's.
#include <csignal>
#include <cstring>

#include <sys/syscall.h>
#include <unistd.h>

extern "C" {

pid_t gettid() { return static_cast<pid_t>(syscall(SYS_gettid)); }

const char* sigabbrev_np(int signal) {
  switch (signal) {
    case SIGABRT:
      return "ABRT";
    case SIGBUS:
      return "BUS";
    case SIGFPE:
      return "FPE";
    case SIGHUP:
      return "HUP";
    case SIGILL:
      return "ILL";
    case SIGINT:
      return "INT";
    case SIGKILL:
      return "KILL";
    case SIGPIPE:
      return "PIPE";
    case SIGQUIT:
      return "QUIT";
    case SIGSEGV:
      return "SEGV";
    case SIGSYS:
      return "SYS";
    case SIGTERM:
      return "TERM";
    case SIGXCPU:
      return "XCPU";
    default:
      return nullptr;
  }
}

const char* sigdescr_np(int signal) { return sigabbrev_np(signal) ? strsignal(signal) : nullptr; }
}
