// A process of its own for a command that runs an engine: what an engine does to its
// process, strata survives, and says.
#pragma once

#include <optional>
#include <string>

#include "strata/base/result.h"

namespace strata::cli {

// From here on there are two processes. The child gets nullopt and goes on; the parent
// gets the child's exit code when it has ended, or an error that says which signal ended
// it. Whoever interrupts or ends the parent means the child. Call it before any thread
// is started. Without a second process to be had, this one goes on.
Result<std::optional<int>> go_on_in_child(const std::string& engine, const std::string& model);

}  // namespace strata::cli
