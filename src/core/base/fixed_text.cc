#include "base/fixed_text.h"

#include <cmath>
#include <cstdint>

#include <fmt/format.h>

namespace strata {

std::string fixed_text(double number, int decimals) {
  constexpr double kPowers[] = {1, 10, 100, 1000};
  constexpr double kMost = 1e9;    // below it, the product is off by less than 1e-6 ...
  constexpr double kDoubt = 1e-4;  // ... so that only halves need exact arithmetic
  const double scaled = number * kPowers[decimals];
  if (std::signbit(number) || !(scaled < kMost)) return fmt::format("{:.{}f}", number, decimals);
  auto digits = static_cast<std::uint32_t>(scaled);
  const double rest = scaled - digits;
  if (std::abs(rest - 0.5) < kDoubt) return fmt::format("{:.{}f}", number, decimals);
  if (rest > 0.5) ++digits;

  char text[16];
  char* at = std::end(text);
  for (int i = 0; i < decimals; ++i, digits /= 10) *--at = static_cast<char>('0' + digits % 10);
  if (decimals > 0) *--at = '.';
  do *--at = static_cast<char>('0' + digits % 10);
  while ((digits /= 10) != 0);
  return {at, std::end(text)};
}

}  // namespace strata
