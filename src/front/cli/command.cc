#include "cli/command.h"

#include <unistd.h>

#include "base/own_version.h"
#include "cli/outlet.h"
#include "cli/terminal.h"

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

Result<int> ended(const Status& last, int code) {
  if (!last) return failure(last);
  return code;
}

int interrupted(std::string_view sentence) {
  complain(sentence);
  return kInterrupted;
}

std::string version_text() { return std::string("strata ") + own_version(); }

std::size_t terminal_width() {
  if (outlet() != nullptr) return 0;
  const std::size_t wanted = wanted_columns();
  return wanted > 0 ? wanted : terminal_columns(STDOUT_FILENO);
}

std::size_t terminal_height() { return outlet() != nullptr ? 0 : terminal_lines(STDOUT_FILENO); }

}  // namespace strata::cli
