#include "base/quantity.h"

#include <charconv>
#include <cmath>
#include <span>
#include <string>

#include <fmt/format.h>

namespace strata {

namespace {

struct UnitText {
  std::string_view text;  // in lower case
  double size;            // in the quantity's own unit
  bool prefixes = false;  // k, m, g and t may stand before it, also with i for powers of 1024
};

constexpr UnitText kSeconds[] = {{"", 1},      {"h", 3600},  {"min", 60},  {"s", 1},    {"sec", 1},
                                 {"ms", 1e-3}, {"us", 1e-6}, {"µs", 1e-6}, {"ns", 1e-9}};
constexpr UnitText kBits[] = {
    {"bps", 1.0 / 8, true}, {"bit/s", 1.0 / 8, true}, {"b/s", 1.0 / 8, true}};
constexpr UnitText kBytesPerSecond[] = {{"bps", 1, true}, {"b/s", 1, true}};
constexpr UnitText kFlops[] = {
    {"flop/s", 1, true}, {"flops", 1, true}, {"op/s", 1, true}, {"ops", 1, true}};
constexpr UnitText kPerSecond[] = {{"/s", 1}, {"/min", 1.0 / 60}, {"hz", 1}, {"fps", 1}};
constexpr UnitText kSizes[] = {{"b", 1, true}, {"", 1, true}};
constexpr UnitText kShares[] = {{"%", 0.01}};

struct QuantityText {
  std::string_view what;
  std::string_view accepted;
  std::span<const UnitText> units;
};

QuantityText facts(Quantity quantity) {
  switch (quantity) {
    case Quantity::Seconds:
    case Quantity::TimeLimit:
      return {"time",
              "a number with h, min, s, ms, us or ns, such as 5min; a bare number is seconds",
              kSeconds};
    case Quantity::BytesPerSecond:
      return {"data rate",
              "a number with bps (bits) or B/s (bytes) and k, M, G or T before it, such "
              "as 100Mbps or 12.5MB/s",
              kBits};
    case Quantity::PerSecond:
      return {"rate", "a number with /s or /min, such as 40/s", kPerSecond};
    case Quantity::Bytes:
      return {"size", "a number with B, kB, MB, GB, KiB, MiB or GiB, such as 2GiB", kSizes};
    case Quantity::Share:
      return {"share", "a number with %, such as 1%", kShares};
    case Quantity::FlopsPerSecond:
      break;
  }
  return {"speed", "a number with FLOP/s or OPS and k, M, G or T before it, such as 50GFLOP/s",
          kFlops};
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

// True for units that two people read in two ways: `5m` as minutes and milliseconds, `MBPS` and
// `mb/s` as bits and bytes, `2Gb` as a size in bits.
bool is_ambiguous(std::string_view unit, Quantity quantity) {
  const std::string plain = lower(unit);
  const std::size_t b = plain.find('b');
  if (quantity == Quantity::Seconds || quantity == Quantity::TimeLimit) return plain == "m";
  if (b == plain.npos || plain.find("bit") != plain.npos) return false;
  const bool is_byte = is_upper(unit[b]), has_prefix = b > 0;
  if (quantity == Quantity::Bytes) return !is_byte && has_prefix && is_upper(unit[0]);
  if (quantity != Quantity::BytesPerSecond) return false;
  if (is_byte) return unit.ends_with("PS");
  return has_prefix && plain.ends_with("/s") && !is_upper(unit[0]) && unit[0] != 'k';
}

std::span<const UnitText> units_of(std::string_view unit, Quantity quantity) {
  if (quantity == Quantity::BytesPerSecond && unit.find('B') != unit.npos) return kBytesPerSecond;
  return facts(quantity).units;
}

// The factor of a prefix such as `k` or `mi`; 0: it is not a prefix.
double prefix_size(std::string_view prefix) {
  constexpr std::string_view kPrefixes = "kmgt";
  const std::size_t power = prefix.empty() ? kPrefixes.npos : kPrefixes.find(prefix[0]);
  if (power == kPrefixes.npos || prefix.size() > 2 || (prefix.size() == 2 && prefix[1] != 'i'))
    return 0;
  return std::pow(prefix.size() == 2 ? 1024 : 1000, static_cast<double>(power + 1));
}

double unit_size(std::string_view text, Quantity quantity) {
  const std::string plain = lower(text);
  for (const UnitText& unit : units_of(text, quantity)) {
    if (plain == unit.text && (!unit.prefixes || !unit.text.empty())) return unit.size;
    if (!unit.prefixes || !plain.ends_with(unit.text)) continue;
    const std::string_view prefix(plain.data(), plain.size() - unit.text.size());
    if (const double size = prefix_size(prefix); size > 0) return unit.size * size;
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
  if (error == std::errc() && is_ambiguous(unit, quantity))
    return failure(fmt::format("\"{}\" can be read in two ways: write {}", text, known.accepted),
                   ErrorKind::Usage);
  const double size = unit_size(unit, quantity);
  const double value = number * size;
  const bool is_zero_allowed = quantity == Quantity::Seconds;
  if (error != std::errc() || size == 0 || !std::isfinite(value) || value < 0 ||
      (value == 0 && !is_zero_allowed))
    return failure(fmt::format("\"{}\" is not a {}: write {}", text, known.what, known.accepted),
                   ErrorKind::Usage);
  return value;
}

}  // namespace strata
