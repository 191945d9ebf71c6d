// What a sweep found, one row a variant.
#pragma once

#include <string>
#include <vector>

#include "cli/sweep_journal.h"

namespace strata::cli {

// `format`: table, csv or md. `width` as of a terminal; 0: as wide as it gets.
std::string sweep_table(const std::vector<JournalEntry>& entries, const std::string& format,
                        std::size_t width);

}  // namespace strata::cli
