// The list of commands.
#pragma once

#include <string_view>
#include <vector>

#include "cli/command.h"

namespace strata::cli {

// Adds the command that the first word of the command line names. All of them, for --help to list,
// if it names none; none for --version.
std::vector<Command> add_commands(App& program, std::string_view first);

bool is_command(std::string_view name);

}  // namespace strata::cli
