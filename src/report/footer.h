// What stands below a table: the memory peak, what is open, what was left out.
#pragma once

#include <string>

#include "strata/report/report.h"

namespace strata {

std::string footer_text(const Profile& profile, const TableStyle& style);

}  // namespace strata
