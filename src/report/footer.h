// What stands below a table: the memory peak, what is open, what was left out.
#pragma once

#include <string>
#include <string_view>

#include "strata/report/report.h"

namespace strata {

// `dropped` are the names of columns that did not fit.
std::string footer_text(const Profile& profile, const TableStyle& style,
                        const std::vector<std::string>& dropped = {});

// Lines broken at spaces to fit; what follows a break is set in by two more. 0: as it is.
std::string wrapped(std::string_view text, std::size_t width);

}  // namespace strata
