#include "document/share_bar.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace strata {

std::string share_bar(double share, double most) {
  static constexpr std::array<std::string_view, 8> kEighths = {"",  "▁", "▂", "▃",
                                                               "▄", "▅", "▆", "▇"};
  constexpr auto kWhole = static_cast<double>(kEighths.size() - 1);
  if (!(share > 0) || !(most > 0)) return "";
  const double cells = std::min(share / most, 1.0) * static_cast<double>(kShareCells);
  auto whole = static_cast<std::size_t>(cells);
  auto rest = static_cast<std::size_t>(std::lround((cells - std::floor(cells)) * kWhole));
  if (whole == 0) rest = std::max<std::size_t>(rest, 1);
  std::string bar;
  for (; whole > 0; --whole) bar += kEighths.back();
  return bar + std::string(kEighths[rest]);
}

std::size_t column_with_bar(const std::vector<Column>& columns) {
  std::size_t best = kNoShare;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].share && (best == kNoShare || columns[i].priority <= columns[best].priority))
      best = i;
  return best;
}

}  // namespace strata
