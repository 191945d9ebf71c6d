#include "cli/output.h"

namespace strata::cli {

namespace {

bool is_stdout(const std::string& path) { return path.empty() || path == "-"; }

}  // namespace

Result<Output> open_output(const std::string& path, const FileKind& kind) {
  if (is_stdout(path)) return Output::to_stream(stdout, "the output");
  return Output::open(path, kind);
}

Status write_output(const std::string& path, const std::string& text, const FileKind& kind) {
  auto output = open_output(path, kind);
  if (!output) return failure(output);
  if (Status status = output->write(text); !status) return status;
  return output->finish();
}

Status check_output_path(const std::string& path, const FileKind& kind) {
  return is_stdout(path) ? Status() : check_output(path, kind);
}

}  // namespace strata::cli
