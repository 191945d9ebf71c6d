// Where the output of a command goes: stdout if the path is empty or `-`, else a file or a device.
#pragma once

#include <string>

#include "document/output.h"

namespace strata::cli {

bool is_standard_output(const std::string& path);

Result<Output> open_output(const std::string& path, const FileKind& kind);
// All of a text.
Status write_output(const std::string& path, const std::string& text,
                    const FileKind& kind = {FileForm::Text});
// Checks that it could be written: call it before the work, not after it.
Status check_output_path(const std::string& path, const FileKind& kind);

// True if stdout gets colours. `choice` is that of --color: `always`, `never`, or `auto` for a
// terminal that can show them and whose user has not turned them off with NO_COLOR.
bool wants_color(std::string_view choice);
// A terminal that shows more than plain lines.
bool is_terminal_output();

}  // namespace strata::cli
