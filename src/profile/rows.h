// Layers gathered into the rows of a report.
#pragma once

#include <string>
#include <vector>

#include "profile/figures.h"
#include "strata/base/result.h"
#include "strata/cost/device_memory.h"
#include "strata/cost/layers.h"
#include "strata/profile/profile.h"

namespace strata {

// All that rows are made from.
struct Analysis {
  const Model& model;
  const Costs& costs;
  const Layers& layers;
  const LayerEdges& edges;
  std::vector<Figures> by_layer;  // as many as layers
  std::vector<Figures> by_node;   // as many as costs.nodes
  // What --device-memory asks for; otherwise empty.
  std::optional<DeviceMemory> device = {};
  std::vector<std::optional<std::int64_t>> alive = {};  // bytes, by index into costs.nodes
  std::vector<std::string> instead = {};                // of each layer, if times were measured
  std::vector<std::string> blocks = {};  // `stage1:0:0:act:fmb` of each layer, where there is one

  std::optional<std::int64_t> alive_at(const Layer& layer) const;  // most while it runs
};

// Fills in by_layer and by_node by the convention and energy model asked for.
Status count_figures(Analysis& analysis, const ProfileOptions& options);

struct Row {
  std::string layer;  // module path, `layer1.0.Add` for an operation between modules
  std::string type;   // `Conv2d`, `Conv2d+BatchNorm2d+ReLU`
  std::string input;  // shapes, several separated by `, `
  std::string output;
  std::string dtype;        // of the first output
  std::uint32_t index = 0;  // in running order
  bool functional = false;  // an operation between modules
  LayerKind kind = LayerKind::Other;
  std::string block;        // its number by stage and block, where the network has that
  std::uint32_t depth = 0;  // in the module tree
  std::uint32_t call = 0;   // which call of this module, counted from 0
  std::uint32_t calls = 1;  // how many calls the row stands for
  Figures figures;
  std::optional<CallMemory> device;      // of one call: a row of several has none
  std::optional<double> seconds_so_far;  // of this row and those before it
  std::string bound;                     // `compute`, `memory`
  std::optional<double> of_roof;         // percent of what the machine allows
  std::optional<double> time_share;      // percent of the end-to-end time
  double drift = 0;                      // of the machine's pace: see session_center
  std::vector<std::size_t> sessions;     // how many of the samples each gave; empty: no interval
  std::string instead;                   // in whose kernel it runs, or why it does not
  std::optional<std::int64_t> alive;     // bytes of activations, most while it runs
};

// The rows of the report asked for, in running order. `hidden` counts rows left
// out because they cost nothing (constants, shape arithmetic, views).
std::vector<Row> make_rows(const Analysis& analysis, const RowOptions& options,
                           std::size_t& hidden);

// One group of layers, which may be one layer alone.
Row layer_row(const Analysis& analysis, std::span<const std::uint32_t> group);

// Groups of layers that run as one: convolution or linear, then a norm, then an
// activation, where nobody else reads what passes between them.
std::vector<std::vector<std::uint32_t>> fused_groups(const Analysis& analysis);

// The module tree with inclusive totals, to `depth` levels below the network.
std::vector<Row> tree_rows(const Analysis& analysis, std::uint32_t depth);

}  // namespace strata
