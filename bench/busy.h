// Processes that do nothing but keep a processor busy, for as long as the object lives.
#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <vector>

namespace strata::bench {

class Busy {
 public:
  explicit Busy(int processes) {
    const pid_t parent = ::getpid();
    for (int i = 0; i < processes; ++i) {
      const pid_t child = ::fork();
      if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // does not outlive us, however we end
        if (::getppid() != parent) ::_exit(1);
        for (volatile std::uint64_t number = 0;;) number = number + 1;
      }
      if (child > 0) children_.push_back(child);
    }
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy() {
    for (const pid_t child : children_) ::kill(child, SIGKILL);
    for (const pid_t child : children_)
      while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
      }
  }

 private:
  std::vector<pid_t> children_;
};

}  // namespace strata::bench
