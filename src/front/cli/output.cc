#include "cli/output.h"

#include <unistd.h>

#include "cli/outlet.h"
#include "cli/terminal.h"

namespace strata::cli {

bool is_standard_output(const std::string& path) { return path.empty() || path == "-"; }

bool is_terminal_output() { return outlet() == nullptr && is_rich_terminal(STDOUT_FILENO); }

bool wants_color(std::string_view choice) {
  if (choice != "auto") return choice == "always";
  return is_terminal_output() && !wants_no_color();
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
