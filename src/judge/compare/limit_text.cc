// Limits as people write them.
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "base/quantity.h"
#include "strata/compare/limits.h"

namespace strata::compare {

namespace {

constexpr std::string_view kForm =
    "write a measure, > or <, and a change: latency>+5%, macs>0, peak>+1MB";

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// `320M`, `5k`, `17`
std::optional<double> number_with_prefix(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0 || !std::isfinite(number)) return std::nullopt;
  std::string_view prefix = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  if (prefix.empty()) return number;
  if (prefix == "k" || prefix == "K") return number * 1e3;
  if (prefix == "M") return number * 1e6;
  if (prefix == "G" || prefix == "B") return number * 1e9;
  return prefix == "T" ? std::optional(number * 1e12) : std::nullopt;
}

bool is_zero(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0.") == text.npos && text.find('0') != text.npos;
}

Result<Limit> parse_limit(std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return failure(fmt::format("{}: {}", in_quotes(text), why), ErrorKind::Usage);
  };
  const std::size_t place = text.find_first_of("<>");
  if (place == text.npos) return wrong(kForm);
  const std::string_view name = trimmed(text.substr(0, place));
  const MeasureFacts* facts = find_measure(name);
  if (facts == nullptr)
    return wrong(
        fmt::format("there is no measure {}; measures are: {}", in_quotes(name), measure_names()));
  Limit limit{.text = std::string(text), .measure = facts->measure, .above = text[place] == '>'};
  std::string_view amount = trimmed(text.substr(place + 1));
  const bool negative = amount.starts_with('-');
  if (negative || amount.starts_with('+')) amount.remove_prefix(1);
  limit.relative = amount.ends_with('%');
  if (limit.relative) amount = trimmed(amount.substr(0, amount.size() - 1));
  const auto bound = limit.relative ? Result<double>(number_with_prefix(amount).value_or(-1))
                                    : parse_amount(amount, facts->measure);
  if (!bound) return wrong(bound.error().message);
  if (*bound < 0) return wrong(kForm);
  limit.bound = (negative ? -*bound : *bound) / (limit.relative ? 100 : 1);
  return limit;
}

}  // namespace

Result<double> parse_amount(std::string_view text, Measure measure) {
  text = trimmed(text);
  if (is_zero(text)) return 0.0;  // of any unit
  const Unit unit = facts_of(measure).unit;
  if (unit == Unit::Bytes) return parse_quantity(text, Quantity::Bytes);
  if (unit == Unit::Seconds) return parse_quantity(text, Quantity::Seconds);
  const auto number = number_with_prefix(text);
  if (!number)
    return failure(fmt::format("{} is not a number: write one with k, M, G or T, such as 320M",
                               in_quotes(text)),
                   ErrorKind::Usage);
  return *number;
}

Result<std::vector<Limit>> parse_limits(std::span<const std::string> texts) {
  std::vector<Limit> out;
  for (const std::string& text : texts)
    for (std::string_view rest = text;;) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      const auto limit = parse_limit(trimmed(rest.substr(0, comma)));
      if (!limit) return failure(limit);
      out.push_back(*limit);
      if (comma == rest.size()) break;
      rest.remove_prefix(comma + 1);
    }
  return out;
}

}  // namespace strata::compare
