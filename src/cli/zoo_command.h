// The parts of `strata zoo`, one file each.
#pragma once

#include "cli/command.h"

namespace strata::cli {

Command add_zoo_table(App& zoo);
Command add_zoo_export(App& zoo);

}  // namespace strata::cli
