// Reads trtexec's exports, as its documentation and its scripts describe them: a profile, which is
// a list of layers with the number of runs before them, or the times of every run. Milliseconds.
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "lint/number.h"
#include "lint/readers.h"
#include "strata/base/statistics.h"

namespace strata::lint {

namespace {

using Json = nlohmann::ordered_json;
constexpr int kDeepest = 4;

std::optional<ClaimNumber> number_at(const Json& item, const char* key, double factor) {
  const auto found = item.find(key);
  if (found == item.end() || !found->is_number()) return std::nullopt;
  const double value = found->get<double>() * factor;
  // It prints six digits.
  return ClaimNumber{value, 5e-6 * std::abs(value)};
}

ClaimTable read_layers(const Json& json) {
  ClaimTable table;
  table.columns = {
      {.title = "averageMs",
       .meaning = Meaning::Seconds,
       .statistic = Statistic::Mean,
       .adds_up = true,
       .unit = "ms"},
      {.title = "medianMs",
       .meaning = Meaning::Seconds,
       .statistic = Statistic::Median,
       .unit = "ms"},
      {.title = "percentage", .meaning = Meaning::SecondsShare, .adds_up = true, .unit = "%"},
      {.title = "count", .meaning = Meaning::Samples}};
  std::optional<ClaimNumber> count;
  for (const Json& item : json) {
    if (!item.is_object()) continue;
    if (const auto runs = number_at(item, "count", 1)) count = runs;
    const auto name = item.find("name");
    if (name == item.end() || !name->is_string()) continue;
    ClaimRow row{.name = name->get<std::string>()};
    row.numbers = {number_at(item, "averageMs", 1e-3), number_at(item, "medianMs", 1e-3),
                   number_at(item, "percentage", 1), count};
    table.rows.push_back(std::move(row));
  }
  return table;
}

ClaimTable read_times(const Json& json) {
  ClaimTable table;
  table.columns = {
      {.title = "median", .meaning = Meaning::Seconds, .statistic = Statistic::Median, .unit = "s"},
      {.title = "runs", .meaning = Meaning::Samples}};
  for (const char* key : {"latencyMs", "computeMs"}) {
    ClaimRow row{.name = key};
    for (const Json& item : json)
      if (item.is_object())
        if (const auto time = number_at(item, key, 1e-3)) row.samples.push_back(time->value);
    if (row.samples.empty()) continue;
    row.numbers = {ClaimNumber{median_of(row.samples), 0},
                   ClaimNumber{static_cast<double>(row.samples.size()), 0}};
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

bool looks_like_trtexec(std::string_view text) {
  const std::string_view start = text.substr(0, 4096);
  return trimmed(start).starts_with('[') &&
         (start.find("\"averageMs\"") != start.npos || start.find("\"computeMs\"") != start.npos);
}

Result<Claims> read_trtexec(std::string_view text) {
  const Json json = json_from_text(text, kDeepest);
  if (!json.is_array()) return failure("it is not JSON, or no list");
  ClaimTable table = read_layers(json);
  if (table.rows.empty()) table = read_times(json);
  if (table.rows.empty()) return failure("it has no layer and no time");
  Claims claims;
  claims.tables.push_back(std::move(table));
  return claims;
}

}  // namespace strata::lint
