#include "cli/output.h"

#include <unistd.h>

#include <cstdlib>

#include "cli/outlet.h"

namespace strata::cli {

bool is_standard_output(const std::string& path) { return path.empty() || path == "-"; }

bool is_terminal_output() {
  if (outlet() != nullptr) return false;
  const char* kind = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) != 0 && (kind == nullptr || std::string_view(kind) != "dumb");
}

bool wants_color(std::string_view choice) {
  if (choice != "auto") return choice == "always";
  // Set to nothing, it counts as not set (no-color.org).
  const char* off = std::getenv("NO_COLOR");
  return is_terminal_output() && (off == nullptr || *off == '\0');
}

Result<Output> open_output(const std::string& path, const FileKind& kind) {
  if (is_standard_output(path)) return Output::to_stream(stdout, "the output");
  return Output::open(path, kind);
}

Status write_output(const std::string& path, const std::string& text, const FileKind& kind) {
  if (Outlet* to = outlet(); to != nullptr && is_standard_output(path)) {
    to->text(text);
    return {};
  }
  auto output = open_output(path, kind);
  if (!output) return failure(output);
  if (Status status = output->write(text); !status) return status;
  return output->finish();
}

Status check_output_path(const std::string& path, const FileKind& kind) {
  return is_standard_output(path) ? Status() : check_output(path, kind);
}

}  // namespace strata::cli
