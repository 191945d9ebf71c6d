#include "cli/fatal.h"

#include <unistd.h>

#include <csignal>
#include <exception>
#include <new>
#include <string_view>

#include "cli/command.h"

namespace strata::cli {

namespace {

// Only system calls: there may be no memory, and this may be a signal's handler.
[[noreturn]] void end(std::string_view sentence, int code) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, sentence.data(), sentence.size());
  ::_exit(code);
}

// Model files are read as memory: if one gets shorter meanwhile, the system can only send a signal.
void at_lost_page(int signal, siginfo_t* about, void*) {
  if (about->si_code == BUS_ADRERR || about->si_code == BUS_OBJERR)
    end("strata: a file could not be read to its end: it became shorter while it was being read, "
        "or its disk failed\n",
        kFailed);
  std::signal(signal, SIG_DFL);  // a bug; the instruction is run again
}

// Also what leaves a thread.
[[noreturn]] void at_terminate() {
  try {
    if (std::current_exception() != nullptr) std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    end("strata: out of memory\n", kFailed);
  } catch (...) {
  }
  end("strata: a bug in strata: it ended without a message; please report it with the model's "
      "file\n",
      kBug);
}

}  // namespace

void install_fatal_handlers() {
  struct sigaction action {};
  action.sa_sigaction = at_lost_page;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
  std::set_terminate(at_terminate);
}

}  // namespace strata::cli
