// What stands below a table: the memory peak, what is open, what was left out.
#pragma once

#include <string>

#include "strata/report/report.h"

namespace strata {

// `dropped` are the names of columns that did not fit.
std::string footer_text(const Profile& profile, const TableStyle& style,
                        const std::vector<std::string>& dropped = {});

}  // namespace strata
