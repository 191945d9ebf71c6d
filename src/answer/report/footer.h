// The lines below a table: the memory peak, open sizes, left-out rows, and a summary.
#pragma once

#include <string>
#include <string_view>

#include "strata/report/report.h"

namespace strata {

// A profile for footer_text().
Profile with_visible_names(Profile profile);
// Lines, not broken to fit. Rows are not looked at.
std::string footer_text(const Profile& profile, const TableStyle& style);
// How times were measured and on which machine, and notes that change no figure.
std::string asides_text(const Profile& profile);
// `Machine: AMD EPYC 7B13, 2 cores, L1 32 KiB, …` and a line break; empty if nothing is known.
std::string machine_text(const std::vector<std::pair<std::string, std::string>>& machine);

}  // namespace strata
