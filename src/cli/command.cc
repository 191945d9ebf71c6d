#include "cli/command.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "cli/outlet.h"
#include "cli/output.h"

namespace strata::cli {

int exit_code(const Error& error) {
  if (error.code == Code::EngineStuck) return kInterrupted;
  switch (error.kind) {
    case ErrorKind::Model:
      return kFailed;
    case ErrorKind::Usage:
      return kUsage;
    case ErrorKind::Budget:
      return kBudget;
    case ErrorKind::Bug:
      return kBug;
  }
  return kBug;
}

std::string version_text() { return "strata " STRATA_VERSION; }

std::size_t terminal_width() {
  if (outlet() != nullptr) return 0;
  if (const char* columns = std::getenv("COLUMNS"))
    if (const long width = std::strtol(columns, nullptr, 10); width > 0)
      return static_cast<std::size_t>(width);
  winsize size{};
  if (isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return 0;
}

bool wants_color() { return wants_color("auto"); }

}  // namespace strata::cli
