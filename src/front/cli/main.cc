#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "cli/command.h"
#include "cli/fatal.h"
#include "cli/program.h"
#include "manual/advice.h"

int main(int argc, char** argv) {
  strata::cli::install_fatal_handlers();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like a full disk
  const char* const caller = std::getenv("STRATA_CALLER");
  const strata::manual::AudienceScope audience(
      strata::manual::audience_from_name(caller == nullptr ? "" : caller));
  try {
    return strata::cli::run_program({argv + (argc > 0 ? 1 : 0), argv + argc});
  } catch (const std::bad_alloc&) {
    std::fputs("strata: out of memory\n", stderr);
    return strata::cli::kFailed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "strata: a bug in strata: %s; please report it with the model's file\n",
                 error.what());
    return strata::cli::kBug;
  }
}
