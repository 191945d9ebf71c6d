// Help as the terminal shows it, in 80 columns.
#pragma once

#include <string>

#include "manual/facts.h"

namespace strata::manual {

inline constexpr std::size_t kHelpWidth = 80;

// The options that are needed most and how to see the others, or all about a command.
std::string help_text(const CommandFacts& command, bool all = true);
// Says in short what the program is, a line for each command, and where to read on.
std::string short_help_text(const CommandFacts& program);
// `strata zoo [OPTIONS] [NAME]`
std::string usage_line(const CommandFacts& command);

}  // namespace strata::manual
