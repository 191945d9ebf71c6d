// One side of a comparison: a model that was counted, or a document that was saved, as rows with
// the same few measures.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/base/certainty.h"
#include "strata/base/expr.h"
#include "strata/base/result.h"
#include "strata/base/statistics.h"
#include "strata/document/cell.h"
#include "strata/document/table.h"
#include "strata/profile/profile.h"
#include "strata/report/bench.h"

namespace strata::compare {

enum class Measure : std::uint8_t {
  Params,
  ParamBytes,
  Macs,
  Flops,
  Read,
  Write,
  Energy,
  Peak,
  Latency,
  Quality,  // quality of the outputs with one layer rounded, by the metric of the sensitivity
};
inline constexpr std::size_t kMeasures = 10;

struct MeasureFacts {
  Measure measure;
  std::string_view name;   // in limits, CSV and JSON
  std::string_view title;  // in tables
  Unit unit;
  bool of_rows;  // a layer has one, and those of several layers add up
};
std::span<const MeasureFacts> measures();
const MeasureFacts& facts_of(Measure measure);
// Finds a measure by name, or by `time` for the latency and `weights` for the bytes of parameters;
// nullptr if there is none.
const MeasureFacts* find_measure(std::string_view name);
std::string measure_names();  // `params, param_bytes, …`

// One number of a row or a total.
struct Figure {
  Expr count = Expr::unknown();     // a whole number or a formula
  std::optional<double> real = {};  // else a fraction, a time, a quality
  std::optional<Interval> interval = {};
  Certainty certainty = Certainty::Unknown;

  bool is_known() const { return certainty != Certainty::Unknown; }
  bool is_exact() const { return certainty == Certainty::Exact; }
  // The value as a number; nullopt for a formula and for unknown.
  std::optional<double> number() const;
};
Figure count_figure(const Expr& count, Certainty certainty = Certainty::Exact);
Figure real_figure(double value, const std::optional<Interval>& interval = {});
// Numbers, formulas and estimates; everything else is unknown.
Figure figure_of(const Cell& cell);
Cell cell_of(const Figure& figure);
// Intervals add up end by end: what disturbs one layer may disturb all of them.
Figure sum_of(const Figure& a, const Figure& b);

using FigureSet = std::array<Figure, kMeasures>;
inline Figure& at(FigureSet& set, Measure m) { return set[static_cast<std::size_t>(m)]; }
inline const Figure& at(const FigureSet& set, Measure m) {
  return set[static_cast<std::size_t>(m)];
}

struct SideRow {
  std::string name = {};                // of a layer, or of a variant
  std::string type = {};                // `Conv2d`, `Conv2d+BatchNorm2d+ReLU`
  std::string input = {}, output = {};  // shapes
  std::uint32_t call = 1;               // of the module
  FigureSet figures = {};
};

struct Side {
  std::string label = {};          // as the caller named it
  std::string kind = {};           // `model`, `profile`, `bench`, `sensitivity`, `weights`
  std::string rows_are = "calls";  // what rows stand for: the report of a profile, or `variants`
  std::vector<SideRow> rows = {};  // along the network, unless they are not in running order
  bool in_running_order = true;    // not if they were sorted, or are variants, types or tensors
  FigureSet totals = {};
  std::size_t hidden_rows = 0;  // rows that cost nothing and were left out
  std::vector<std::string> unknown_ops = {};
  // Every operator of a model, once; nullopt: a document says only what its rows are.
  std::optional<std::vector<std::string>> operators = {};
  std::vector<std::pair<std::string, std::string>> machine = {};  // that measured; else empty
  // Settings, apart from the network, that numbers depend on: `convention`, `engine`, `threads`,
  // `inputs`, …
  std::vector<std::pair<std::string, std::string>> settings = {};
};

// The columns that a profile needs to be compared: those that a table of every column has.
std::string side_columns();

Side side_of(const Profile& profile, std::string label);
Side side_of(const BenchRun& run, std::string label);

// True if a file begins as a saved document does; a model does not.
bool looks_like_document(std::string_view bytes);
// A profile, a benchmark or a sensitivity that was saved as JSON. `label` names it in errors, of
// which each is one sentence.
Result<Side> read_side(std::string_view json, std::string_view label);

}  // namespace strata::compare
