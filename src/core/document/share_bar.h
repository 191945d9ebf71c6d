// A share as a bar of characters, for terminals.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strata/document/table.h"

namespace strata {

inline constexpr std::size_t kShareCells = 8;  // columns of the longest bar

// `▇▇▅`: whole cells, then one as high as what is left. `most` fills all of them. A share above 0
// has at least the lowest block, so that none looks like 0.
std::string share_bar(double share, double most);

// Chooses the column that gets a bar: the most important share, of equals the last. kNoShare: none.
inline constexpr std::size_t kNoShare = static_cast<std::size_t>(-1);
std::size_t column_with_bar(const std::vector<Column>& columns);

}  // namespace strata
