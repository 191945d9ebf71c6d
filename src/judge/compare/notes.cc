#include "compare/notes.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/in_quotes.h"

namespace strata::compare {

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kReading = "quantized tensors";

const std::string* find(const Pairs& pairs, std::string_view name) {
  for (const auto& [key, value] : pairs)
    if (key == name) return &value;
  return nullptr;
}

// True for facts that change from minute to minute on the same machine.
bool is_momentary(std::string_view fact) { return fact == "mhz" || fact == "load"; }

// The first fact that differs: `cpu is "A" and "B"`; empty if none does.
std::string other_machine(const Side& before, const Side& after) {
  for (const auto& [key, value] : before.machine) {
    const std::string* other = find(after.machine, key);
    if (other == nullptr || *other == value || is_momentary(key)) continue;
    return fmt::format("{} is {} and {}", in_quotes(key).substr(1, in_quotes(key).size() - 2),
                       in_quotes(value), in_quotes(*other));
  }
  return {};
}

bool has_latency(const Side& side) {
  return at(side.totals, Measure::Latency).is_known() ||
         std::any_of(side.rows.begin(), side.rows.end(), [](const SideRow& row) {
           return at(row.figures, Measure::Latency).is_known();
         });
}

}  // namespace

std::vector<std::string> notes_of(const Side& before, const Side& after) {
  std::vector<std::string> notes;
  if (has_latency(before) && has_latency(after)) {
    if (const std::string what = other_machine(before, after); !what.empty())
      notes.push_back(fmt::format(
          "the times were measured on different machines, and may differ for that reason alone: {}",
          what));
    else if (before.machine.empty() || after.machine.empty())
      notes.push_back("it is not known whether the times were measured on the same machine");
  }
  const std::string* reading = find(before.settings, kReading);
  const std::string* other_reading = find(after.settings, kReading);
  if (reading == nullptr) reading = other_reading;
  if (reading != nullptr && (other_reading == nullptr || *reading == *other_reading))
    notes.push_back(fmt::format("{} count {}", kReading, *reading));
  for (const auto& [key, value] : before.settings) {
    const std::string* other = find(after.settings, key);
    if (other != nullptr && *other != value)
      notes.push_back(fmt::format("the {} differ{}: {} before and {} after", key,
                                  key.ends_with('s') ? "" : "s", in_quotes(value),
                                  in_quotes(*other)));
  }
  if (before.rows_are != after.rows_are)
    notes.push_back(fmt::format("rows are {} before and {} after, so that few of them match",
                                before.rows_are, after.rows_are));
  return notes;
}

}  // namespace strata::compare
