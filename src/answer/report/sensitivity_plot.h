// The content that every form of the plot shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strata/report/sensitivity.h"

namespace strata {

// The kind of a layer's dot: the kinds that are known to lose more than others.
enum class DotKind : std::uint8_t { Other, End, Exit, Neither };

struct SensitivityPlot {
  struct Point {
    std::string label;  // `stage1:0:2`, or the path
    std::string stage;  // `stage1`; empty where the network has no such names
    DotKind kind = DotKind::Other;
    std::optional<double> value;  // infinity is at the edge
    std::optional<Interval> interval;
    bool dips = false;
  };
  std::vector<Point> points;      // in running order
  std::vector<std::size_t> dips;  // worst first
  // The value to compare with: that of the float model, or, where it has none (SQNR), that of all
  // layers together.
  std::optional<double> line;
  std::string line_label;
  double low = 0, high = 1;  // of the axis
  // Layers that lose next to nothing would press the others together: they are at its end.
  std::size_t above = 0;
};

// nullopt: fewer than two layers have a finite value.
std::optional<SensitivityPlot> sensitivity_plot(const SensitivityRun& run);

}  // namespace strata
