// The latency of a network as cells of `zoo table --time`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strata/measure/timing.h"
#include "strata/profile/profile.h"

namespace strata {

// Columns `latency`, `latency_low`, `latency_high` and `flops_per_s`.
std::vector<Column> latency_columns();

// Appends their cells to those of the row: name, parameters, FLOPs, …. If a network's interval is
// withheld, it has none, and a note says why.
void add_latency_cells(const Timing& timing, std::string_view network, ProfileRow& row,
                       std::vector<std::string>& notes);

}  // namespace strata
