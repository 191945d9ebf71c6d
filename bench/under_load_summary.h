// Reads the trials of bench_under_load back from their lines and judges them.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace strata::bench {

using Json = nlohmann::json;

constexpr double kTolerance = 0.03;  // of the idle ratio, if that is the truth

struct Share {
  int hits = 0, all = 0;
  std::string text() const {
    return all == 0 ? "–" : fmt::format("{:.1f} % of {}", 100.0 * hits / all, all);
  }
};

// Counts one printed speed-up.
inline void count_speed_up(const Json& printed, double truth, double tolerance, Share& covered,
                           Share& withheld) {
  ++withheld.all;
  if (printed["withheld"].is_string()) {
    ++withheld.hits;
    return;
  }
  ++covered.all;
  const double low = printed["low"], high = printed["high"];
  if (low <= truth * (1 + tolerance) && high >= truth * (1 - tolerance)) ++covered.hits;
}

// Pairs of intervals that overlap.
inline Share overlapping(const std::vector<std::pair<double, double>>& intervals) {
  Share out;
  for (std::size_t i = 0; i < intervals.size(); ++i)
    for (std::size_t j = i + 1; j < intervals.size(); ++j) {
      ++out.all;
      if (intervals[i].first <= intervals[j].second && intervals[j].first <= intervals[i].second)
        ++out.hits;
    }
  return out;
}

struct KindAtLoad {
  Share covered, withheld, false_differences;
  std::vector<double> widths;  // relative, half
  std::vector<std::pair<double, double>> intervals;
  std::map<std::string, std::vector<std::pair<double, double>>> layers;
};

// The median of the ratios measured between the trials.
inline std::optional<double> idle_ratio(const std::vector<Json>& lines) {
  std::vector<double> all;
  for (const Json& line : lines)
    if (line["kind"] == "truth") all.push_back(line["ratio"].get<double>());
  if (all.empty()) return std::nullopt;
  std::sort(all.begin(), all.end());
  return (all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2;
}

inline void add_line(const Json& line, std::optional<double> idle, KindAtLoad& own) {
  const auto width = [&](const Json& one) {
    if (one["withheld"].is_null())
      own.widths.push_back((one["high"].get<double>() - one["low"].get<double>()) / 2 /
                           one["median"].get<double>());
  };
  if (line["kind"] == "stat") {
    ++own.withheld.all;
    if (line["withheld"].is_string() || line["low"].is_null()) {
      ++own.withheld.hits;
      return;
    }
    width(line);
    own.intervals.emplace_back(line["low"], line["high"]);
    for (const Json& layer : line["layers"]) own.layers[layer[0]].emplace_back(layer[1], layer[2]);
    return;
  }
  for (const Json& printed : line["speed_ups"]) {
    width(printed);
    if (printed["aa"].get<bool>()) {
      ++own.withheld.all;
      if (printed["withheld"].is_string()) {
        ++own.withheld.hits;
        continue;
      }
      ++own.false_differences.all;
      if (printed["low"].get<double>() > 1 || printed["high"].get<double>() < 1)
        ++own.false_differences.hits;
    } else if (printed["truth"].is_number()) {
      count_speed_up(printed, printed["truth"], 0, own.covered, own.withheld);
    } else if (idle) {
      count_speed_up(printed, *idle, kTolerance, own.covered, own.withheld);
    }
  }
}

// The promises for this row that do not hold; empty: all hold.
inline std::string missed(const KindAtLoad& own, int load) {
  std::string out;
  const auto need = [&](bool holds, const char* what) {
    if (!holds) out += fmt::format("{}{}", out.empty() ? "" : ", ", what);
  };
  const auto share = [](const Share& of) { return of.all == 0 ? 0 : 1.0 * of.hits / of.all; };
  const Share pairs = overlapping(own.intervals);
  need(own.covered.all == 0 || share(own.covered) >= 0.93, "covers < 93 %");
  need(load != 0 || share(own.withheld) <= 0.05, "withheld > 5 %");
  need(load != 2 || share(own.withheld) <= 0.5, "withheld > 50 %");
  need(share(own.false_differences) <= 0.05, "A/A > 5 %");
  need(pairs.all == 0 || share(pairs) >= 0.95, "overlap < 95 %");
  return out;
}

inline void print_summary(const std::vector<Json>& lines) {
  const auto idle = idle_ratio(lines);
  std::map<std::pair<std::string, int>, KindAtLoad> table;
  for (const Json& line : lines)
    if (line["kind"] != "truth") add_line(line, idle, table[{line["kind"], line["load"]}]);
  if (idle) fmt::print("idle ratio of ONNX Runtime fp32 over int8: {:.3f}\n", *idle);
  constexpr const char* kRow = "{:12} {:>4}  {:14} {:14} {:14} {:16} {:18} {:10}  {}\n";
  fmt::print(fmt::runtime(kRow), "kind", "load", "covers truth", "withheld", "A/A false",
             "pairs overlap", "layers overlap", "half width", "promises");
  for (auto& [key, own] : table) {
    Share layers;
    for (const auto& [name, intervals] : own.layers) {
      const Share pairs = overlapping(intervals);
      layers.hits += pairs.hits, layers.all += pairs.all;
    }
    std::sort(own.widths.begin(), own.widths.end());
    const std::string wrong = missed(own, key.second);
    fmt::print(fmt::runtime(kRow), key.first, key.second, own.covered.text(), own.withheld.text(),
               own.false_differences.text(), overlapping(own.intervals).text(), layers.text(),
               own.widths.empty()
                   ? "–"
                   : fmt::format("±{:.1f} %", 100 * own.widths[own.widths.size() / 2]),
               wrong.empty() ? "hold" : "missed: " + wrong);
  }
}

}  // namespace strata::bench
