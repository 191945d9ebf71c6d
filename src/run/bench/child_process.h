// A process of the same program, or of one that the caller names, on the other end of a socket.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "strata/base/result.h"

namespace strata {

// The end of a child that was expected to answer.
struct ChildEnd {
  int signal = 0;            // 0: it exited
  int exit_code = 0;         // if it exited
  bool not_started = false;  // the program could not be started
  std::string last_words;    // the last line that it wrote to stderr
};

// `SIGABRT (Aborted)`
std::string signal_text(int number);

struct ChildOptions {
  std::int64_t memory_bytes = 0;  // of address space; 0: no limit
  // The child is not confined (engine/confine.h): the model is the caller's own, or the user said
  // so. Otherwise it is an error, Code::CannotConfine, if this machine cannot do it.
  bool trust_model = false;
};

// The child is started with the one argument `worker` and the socket at kWorkerFd. It prints
// nowhere, ignores SIGINT and SIGTERM, which are for its parent, leaves no core file, and is killed
// when the thread that started it ends. If it is confined, its TMPDIR is a folder of its own, the
// only one that it can write to.
class ChildProcess {
 public:
  // `program`: empty for the running one.
  static Result<ChildProcess> start(const std::string& program, const ChildOptions& options = {});
  ChildProcess(ChildProcess&&) noexcept;
  ChildProcess& operator=(ChildProcess&&) noexcept;
  ~ChildProcess();  // closes the socket and waits for it to end, but not long

  int socket() const;
  const std::string& program() const;
  std::string scratch() const;  // the TMPDIR of a confined child, or ""
  bool is_there() const;        // its end has not been waited for
  void kill();
  // Kills it if it does not end by itself within a second.
  ChildEnd wait_for_end();

 private:
  struct State;
  explicit ChildProcess(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// True if this program was started as a child and has not become a worker: it would start itself
// over and over.
bool is_unready_worker();
// Takes that mark away, and confines this process if its parent asked for it. The result is the
// folder that it may then write to, or "" if it is not confined.
Result<std::string> become_ready_worker(int in, int out);

}  // namespace strata
