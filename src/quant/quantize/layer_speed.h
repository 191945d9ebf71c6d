// The time of each layer, in float and in int8, and where the rest of the time goes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strata/measure/timed_pair.h"
#include "strata/quantize/quantize.h"

namespace strata {

// One model: rows that add up to `whole`.
struct RunTimes {
  std::vector<RowTime> layers;  // in the order of `names`
  RowTime other;                // kernels of other operators
  RowTime conversions;          // between floats and whole numbers, part of no layer
  RowTime layout;               // reorder elements, part of no layer
  RowTime outside;              // part of `whole` in no kernel; below 0 if recording disturbs it
  double whole = 0;             // median of the network
};

// Two forms of a network that were timed in turns, and what the second gains.
struct PairTimes {
  RunTimes base, other;
  std::vector<std::optional<RowSpeedUp>> layers;  // nullopt: no kernel of its own in one of the two
  std::optional<RowSpeedUp> others, conversions, layout;
  bool disturbed = false;  // by other work: no interval is known
};

using LayerNames = std::vector<std::vector<std::string>>;  // of nodes, by layer

// Rows for the networks as they really run: a kernel belongs to the first layer that one of its
// nodes is part of, but kernels that only convert belong to no layer. Engines round each kernel's
// time down to `resolution` seconds, which no number of runs makes up for, so intervals are wider
// by that much.
PairTimes rows_of(const TimedPair& pair, const LayerNames& base_names,
                  const LayerNames& other_names, double resolution = 0);
// Rescales to other totals: times of kernels are shares, and latency is measured separately.
void scale_to(PairTimes& times, double base_whole, double other_whole);

// Seconds that int8 saves, for decisions: the certain amount, or, if it is not certain, the most
// that it may be.
double seconds_saved(const RowTime& floats, const RowTime& written,
                     const std::optional<RowSpeedUp>& speed_up);

// The layers' nodes as engines call them.
LayerNames layer_node_names(const Model& model, const std::vector<QuantLayer>& layers);

}  // namespace strata
