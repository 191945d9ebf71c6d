// A process of the same program, or of one that the caller names, on the other end of a socket.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "strata/base/result.h"

namespace strata {

// How a child ended that was expected to answer.
struct ChildEnd {
  int signal = 0;            // 0: it exited
  int exit_code = 0;         // if it exited
  bool not_started = false;  // the program could not be started
  std::string last_words;    // the last line that it wrote to stderr
};

// `SIGABRT (Aborted)`
std::string signal_text(int number);

// The child is started with the one argument `worker` and the socket at kWorkerFd. It prints
// nowhere, ignores SIGINT and SIGTERM, which are for its parent, leaves no core file, and is killed
// when the thread that started it ends.
class ChildProcess {
 public:
  // `program`: empty for the running one. `memory_bytes`: of address space; 0: no limit.
  static Result<ChildProcess> start(const std::string& program, std::int64_t memory_bytes = 0);
  ChildProcess(ChildProcess&&) noexcept;
  ChildProcess& operator=(ChildProcess&&) noexcept;
  ~ChildProcess();  // closes the socket and waits for it to end, but not long

  int socket() const;
  const std::string& program() const;
  bool is_there() const;  // its end has not been waited for
  void kill();
  // Kills it if it does not end by itself within a second.
  ChildEnd wait_for_end();

 private:
  struct State;
  explicit ChildProcess(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Whether this program was started as a child and has not become a worker: it would start itself
// over and over. worker_main() takes the mark away.
bool is_unready_worker();
void become_ready_worker(int in, int out);

}  // namespace strata
