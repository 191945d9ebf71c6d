// The parts of `strata zoo`, one file each.
#pragma once

#include "cli/command.h"

namespace strata::cli {

Command add_zoo_table(CLI::App& zoo);
Command add_zoo_export(CLI::App& zoo);

}  // namespace strata::cli
