#include "lint/number.h"

#include <charconv>
#include <cmath>
#include <string>

namespace strata::lint {

namespace {

constexpr std::size_t kLongest = 64;  // characters of a number

struct Suffix {
  std::string_view text;
  double factor;
};
constexpr Suffix kSuffixes[] = {
    {"", 1},
    {"%", 1},
    {"k", 1e3},
    {"K", 1e3},
    {"M", 1e6},
    {"G", 1e9},
    {"T", 1e12},
    {"B", 1},
    {"KB", 1e3},
    {"kB", 1e3},
    {"MB", 1e6},
    {"GB", 1e9},
    {"TB", 1e12},
    {"Kb", 1e3},
    {"Mb", 1e6},
    {"Gb", 1e9},
    {"KiB", 1024.0},
    {"MiB", 1048576.0},
    {"GiB", 1073741824.0},
    {"s", 1},
    {"ms", 1e-3},
    {"us", 1e-6},
    {"µs", 1e-6},
    {"ns", 1e-9},
};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A comma between digits is a separator if three digits follow.
bool separates(std::string_view text, std::size_t at) {
  if (at == 0 || !is_digit(text[at - 1])) return false;
  for (std::size_t i = at + 1; i < at + 4; ++i)
    if (i >= text.size() || !is_digit(text[i])) return false;
  return at + 4 >= text.size() || !is_digit(text[at + 4]);
}

// Half a unit of the last digit of `1.50e+07`.
double rounding_of(std::string_view digits) {
  const std::size_t e = std::min(digits.find_first_of("eE"), digits.size());
  const std::string_view mantissa = digits.substr(0, e);
  const std::size_t dot = mantissa.find('.');
  double exponent = 0;
  if (e < digits.size()) {
    std::string_view text = digits.substr(e + 1);
    if (text.starts_with('+')) text.remove_prefix(1);
    std::from_chars(text.data(), text.data() + text.size(), exponent);
  }
  // A whole number is exact, unless it is written with a power.
  if (dot == mantissa.npos && e == digits.size()) return 0;
  const std::size_t decimals = dot == mantissa.npos ? 0 : mantissa.size() - dot - 1;
  // `12608.0` is a count that a program kept as a real number.
  if (e == digits.size() && decimals == 1 && mantissa.ends_with('0')) return 0;
  return 0.5 * std::pow(10.0, exponent - static_cast<double>(decimals));
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<ClaimNumber> parse_number(std::string_view text) {
  text = trimmed(text);
  if (text.empty() || text.size() > kLongest) return std::nullopt;
  std::string digits;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == ',' && separates(text, at)) continue;
    const bool in_power = !digits.empty() && (digits.back() == 'e' || digits.back() == 'E');
    const bool sign = (c == '-' || c == '+') && (digits.empty() || in_power);
    const bool power = (c == 'e' || c == 'E') && !digits.empty() && at + 1 < text.size() &&
                       (is_digit(text[at + 1]) || text[at + 1] == '-' || text[at + 1] == '+');
    if (!is_digit(c) && c != '.' && !sign && !power) break;
    digits += c;
  }
  std::string_view number = digits;
  if (number.starts_with('+')) number.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || end != number.data() + number.size() || !std::isfinite(value))
    return std::nullopt;
  const std::string_view rest = trimmed(text.substr(at));
  for (const Suffix& suffix : kSuffixes) {
    if (rest != suffix.text) continue;
    // With a prefix every digit counts: `5M` is 4.5 to 5.5 million.
    const bool scaled = suffix.factor != 1;
    double rounding = rounding_of(number);
    if (scaled && rounding == 0) rounding = number.find('.') == number.npos ? 0.5 : 0.05;
    const ClaimNumber out{value * suffix.factor, rounding * suffix.factor};
    if (!std::isfinite(out.value) || !std::isfinite(out.rounding)) return std::nullopt;
    return out;
  }
  return std::nullopt;
}

}  // namespace strata::lint
