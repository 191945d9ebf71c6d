// Where a split would pay: the best choice at each speed of the link, as a short table.
#pragma once

#include <string>

#include "strata/report/payload.h"

namespace strata {

// A row for each choice, from the slowest link to the fastest.
Table best_cuts_table(const PayloadSource& source, const NamedSplit& named,
                      const PayloadOptions& options);
// Says whether a split pays, on which links and where it pays most, and how sure that is.
std::string best_cuts_answer(const PayloadSource& source, const NamedSplit& named);
// Names the cut that ships least, where no times are known.
std::string least_cut_answer(const PayloadSource& source, const Cuts& cuts, const std::string& why);

}  // namespace strata
