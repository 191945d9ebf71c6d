#include "compare/where.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/visible.h"
#include "compare/text.h"

namespace strata::compare {

namespace {

constexpr std::size_t kMaxPlaces = 2;
constexpr double kLeastShare = 0.005;  // of a place that is named

struct Place {
  std::string_view path;
  double change = 0;
};

// Signed, because a sum has to be the change of the total.
std::string amount_text(double change, Unit unit) {
  const Figure figure = unit == Unit::Seconds
                            ? real_figure(std::abs(change))
                            : count_figure(Expr(static_cast<std::int64_t>(std::abs(change))));
  return (change < 0 ? "-" : "+") + figure_text(figure, unit);
}

// The sum of the layers of a row; nullopt if that is not a number. Without layers it is 0.
std::optional<double> sum_at(const Side& side, const std::vector<std::uint32_t>& rows,
                             Measure measure) {
  double sum = 0;
  for (const std::uint32_t row : rows) {
    const auto number = at(side.rows[row].figures, measure).number();
    if (!number) return std::nullopt;
    sum += *number;
  }
  return sum;
}

// The rows whose figure changed, by the name of the first layer in each.
std::vector<Place> changed_rows(const Side& before, const Side& after, const Diff& diff,
                                Measure measure) {
  std::vector<Place> places;
  for (const RowDiff& row : diff.rows) {
    if (row.is_unchanged()) continue;
    const auto left = sum_at(before, row.before, measure);
    const auto right = sum_at(after, row.after, measure);
    if (!left || !right || *left == *right) continue;
    const SideRow& named =
        row.after.empty() ? before.rows[row.before[0]] : after.rows[row.after[0]];
    places.push_back({named.name, *right - *left});
  }
  return places;
}

// The end of the component that begins there.
std::size_t end_of(std::string_view path, std::size_t from) {
  return std::min(path.find('.', from), path.size());
}

// The innermost module that all are in; empty if that is the network.
std::string_view common_module(const std::vector<Place>& places) {
  std::string_view common = places.front().path;
  for (const Place& place : places) {
    const auto is_in = [&](std::string_view module) {
      return place.path.starts_with(module) &&
             (place.path.size() == module.size() || place.path[module.size()] == '.');
    };
    while (!common.empty() && !is_in(common))
      common = common.substr(0, common.rfind('.') == common.npos ? 0 : common.rfind('.'));
  }
  return common;
}

// One level below the common module, the largest first.
std::vector<Place> by_module(const std::vector<Place>& places, std::string_view common) {
  std::map<std::string_view, double> sums;  // no hash, which names in a file could collide in
  const std::size_t start = common.empty() ? 0 : common.size() + 1;
  for (const Place& place : places)
    sums[place.path.size() <= start ? place.path
                                    : place.path.substr(0, end_of(place.path, start))] +=
        place.change;
  std::vector<Place> modules;
  for (const auto& [path, change] : sums) modules.push_back({path, change});
  std::stable_sort(modules.begin(), modules.end(), [](const Place& a, const Place& b) {
    return std::abs(a.change) > std::abs(b.change);
  });
  return modules;
}

std::string places_text(const std::vector<Place>& rows, const MeasureFacts& facts) {
  const std::string_view common = common_module(rows);
  double total = 0, size = 0;
  for (const Place& row : rows) total += row.change;
  const std::vector<Place> modules = by_module(rows, common);
  for (const Place& one : modules) size += std::abs(one.change);
  std::string text(facts.title);
  if (!common.empty() || modules.size() == 1)
    text += fmt::format(" all in {}, {}", visible(modules.size() == 1 ? modules[0].path : common),
                        amount_text(total, facts.unit));
  if (modules.size() == 1 || size == 0) return text;
  std::vector<std::string> named;
  for (const Place& one : modules)
    if (named.size() < kMaxPlaces && std::abs(one.change) >= kLeastShare * size)
      named.push_back(fmt::format("{} in {} ({:.0f} %)", amount_text(one.change, facts.unit),
                                  visible(one.path), 100 * std::abs(one.change) / size));
  text += fmt::format("{} {}", common.empty() ? "" : ":", fmt::join(named, ", "));
  const std::size_t more = modules.size() - named.size();
  return more == 0 ? text : fmt::format("{} and {} more place{}", text, more, more == 1 ? "" : "s");
}

}  // namespace

std::string where_text(const Side& before, const Side& after, const Diff& diff) {
  if (before.rows_are == "variants" || before.rows_are == "type") return "";
  std::string text;
  for (const Measure measure : {Measure::Params, Measure::Macs, Measure::Latency}) {
    if (!at(diff.totals, measure).is_known_change()) continue;
    const std::vector<Place> rows = changed_rows(before, after, diff, measure);
    if (rows.empty()) continue;
    text += (text.empty() ? "Where: " : "; ") + places_text(rows, facts_of(measure));
  }
  return text.empty() ? "" : text + ".\n";
}

}  // namespace strata::compare
