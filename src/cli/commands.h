// The list of commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace strata::cli {

// Adds the command that the first word of the command line names. All of them if it names none, or
// one that is about the others; none for --version.
std::vector<Command> add_commands(App& program, std::string_view first);

bool is_command(std::string_view name);
std::vector<std::string> command_names();  // those that people type

}  // namespace strata::cli
