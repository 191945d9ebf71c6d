// How long each layer takes, in floats and in int8, and where the rest of the time goes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strata/measure/timed_pair.h"
#include "strata/quant/quantize.h"

namespace strata {

// One model: rows that add up to `whole`.
struct RunTimes {
  std::vector<RowTime> layers;  // as `names`
  RowTime other;                // kernels of other operators
  RowTime conversions;          // between floats and whole numbers, of no layer
  RowTime layout;               // orders of elements, of no layer
  RowTime outside;              // of `whole`, in no kernel; below 0 where recording disturbs it
  double whole = 0;             // median of the network
};

// Two forms of a network that were timed by turns, and what the second brings.
struct PairTimes {
  RunTimes base, other;
  std::vector<std::optional<RowSpeedUp>> layers;  // nullopt: in no kernel of its own in both
  std::optional<RowSpeedUp> others, conversions, layout;
  bool disturbed = false;  // by other work: no interval is known
};

using LayerNames = std::vector<std::vector<std::string>>;  // of nodes, by layer

// As the networks really run: kernels are given to the first layer that one of their nodes is of,
// but those that only convert to none. Engines round each kernel's time down to `resolution`
// seconds, which no number of runs makes good: intervals are as much wider.
PairTimes rows_of(const TimedPair& pair, const LayerNames& base_names,
                  const LayerNames& other_names, double resolution = 0);
// The same shares of other wholes: times of kernels are shares, and latency is measured apart.
void scale_to(PairTimes& times, double base_whole, double other_whole);

// Seconds that int8 saves, for deciding: what is certain, or where it is not the most that it
// may be.
double seconds_saved(const RowTime& floats, const RowTime& written,
                     const std::optional<RowSpeedUp>& speed_up);

// The layers' nodes as engines call them.
LayerNames layer_node_names(const Model& model, const std::vector<QuantLayer>& layers);

}  // namespace strata
