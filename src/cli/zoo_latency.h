// The latency of a network as cells of `zoo table --time`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strata/measure/timing.h"
#include "strata/profile/profile.h"

namespace strata::cli {

// Columns `latency`, `latency_low`, `latency_high` and `flops_per_s`.
std::vector<Column> latency_columns();

// Their cells, behind those that the row has: name, parameters, FLOPs, …. A network whose interval
// is withheld has none, and a note says why.
void add_latency_cells(const Timing& timing, std::string_view network, ProfileRow& row,
                       std::vector<std::string>& notes);

}  // namespace strata::cli
