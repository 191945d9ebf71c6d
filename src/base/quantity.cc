#include "base/quantity.h"

#include <charconv>
#include <cmath>
#include <span>
#include <string>

#include <fmt/format.h>

namespace strata {

namespace {

struct UnitText {
  std::string_view text;
  double size;    // in the quantity's own unit
  bool prefixes;  // may be preceded by k, M, G, T
};

constexpr UnitText kSeconds[] = {
    {"h", 3600, false},  {"min", 60, false},  {"s", 1, false},     {"ms", 1e-3, false},
    {"us", 1e-6, false}, {"µs", 1e-6, false}, {"ns", 1e-9, false},
};
constexpr UnitText kTimeLimits[] = {
    {"", 1, false},      {"h", 3600, false},  {"min", 60, false},  {"s", 1, false},
    {"ms", 1e-3, false}, {"us", 1e-6, false}, {"µs", 1e-6, false}, {"ns", 1e-9, false},
};
constexpr UnitText kBytes[] = {
    {"bps", 1.0 / 8, true}, {"bit/s", 1.0 / 8, true}, {"b/s", 1.0 / 8, true}, {"B/s", 1, true}};
constexpr UnitText kFlops[] = {{"FLOP/s", 1, true}};
constexpr UnitText kPerSecond[] = {{"/s", 1, false}, {"/min", 1.0 / 60, false}};
constexpr UnitText kSizes[] = {{"B", 1, true},
                               {"KiB", 0x1p10, false},
                               {"MiB", 0x1p20, false},
                               {"GiB", 0x1p30, false},
                               {"TiB", 0x1p40, false}};
constexpr UnitText kShares[] = {{"%", 0.01, false}};

struct QuantityText {
  std::string_view what;
  std::string_view accepted;
  std::span<const UnitText> units;
};

QuantityText facts(Quantity quantity) {
  switch (quantity) {
    case Quantity::Seconds:
      return {"duration", "a number with h, min, s, ms, us or ns, such as 10ms", kSeconds};
    case Quantity::TimeLimit:
      return {"time", "a number with h, min, s or ms, such as 5min; a bare number is seconds",
              kTimeLimits};
    case Quantity::BytesPerSecond:
      return {"data rate",
              "a number with bps (bits) or B/s (bytes) and k, M, G or T before it, such "
              "as 100Mbps or 12.5MB/s",
              kBytes};
    case Quantity::PerSecond:
      return {"rate", "a number with /s or /min, such as 40/s", kPerSecond};
    case Quantity::Bytes:
      return {"size", "a number with B, kB, MB, GB, KiB, MiB or GiB, such as 2GiB", kSizes};
    case Quantity::Share:
      return {"share", "a number with %, such as 1%", kShares};
    case Quantity::FlopsPerSecond:
      break;
  }
  return {"speed", "a number with FLOP/s and k, M, G or T before it, such as 50GFLOP/s", kFlops};
}

double prefix_size(char c) {
  switch (c) {
    case 'k':
      return 1e3;
    case 'M':
      return 1e6;
    case 'G':
      return 1e9;
    case 'T':
      return 1e12;
    default:
      return 0;
  }
}

double unit_size(std::string_view text, std::span<const UnitText> units) {
  for (const UnitText& unit : units) {
    if (text == unit.text) return unit.size;
    if (unit.prefixes && !text.empty() && text.substr(1) == unit.text)
      return unit.size * prefix_size(text[0]);
  }
  return 0;
}

}  // namespace

Result<double> parse_quantity(std::string_view text, Quantity quantity) {
  const QuantityText known = facts(quantity);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  const double value = number * unit_size(unit, known.units);
  const bool is_zero_allowed = quantity == Quantity::Seconds;
  const bool is_unit = unit_size(unit, known.units) > 0;
  if (error != std::errc() || !is_unit || !std::isfinite(value) || value < 0 ||
      (value == 0 && !is_zero_allowed))
    return failure(fmt::format("\"{}\" is no {}: write {}", text, known.what, known.accepted),
                   ErrorKind::Usage);
  return value;
}

}  // namespace strata
