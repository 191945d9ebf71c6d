// How long each layer takes, in floats and in int8, and where the rest of the time goes.
#pragma once

#include <string>
#include <vector>

#include "strata/measure/timing.h"
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
  bool disturbed = false;       // by other work: no row has an interval
};

// As the network really runs: kernels are given to the first layer that one of their nodes is
// of. `names` are those of the nodes of each layer.
Result<RunTimes> run_times(const Engine& engine, const ModelSource& source,
                           const std::vector<HostTensor>& inputs,
                           const std::vector<std::vector<std::string>>& names,
                           const TimingOptions& options);

// The rows of one timing. Engines round each kernel's time down to `resolution` seconds, which no
// number of runs makes good: intervals are as much wider.
RunTimes rows_of(const Timing& timing, const std::vector<std::vector<std::string>>& names,
                 double resolution = 0, int threads = 1);
// Of two rounds the one that was not disturbed. If neither was, or both were, the faster one, with
// intervals that hold for both.
RunTimes calmer_of(const RunTimes& one, const RunTimes& two);
// The same shares of another whole: times of kernels are shares, and latency is measured apart.
void scale_to(RunTimes& times, double whole);

// Seconds that int8 saves, for deciding: what is certain, or where it is not the most that it
// may be.
double seconds_saved(const RowTime& floats, const RowTime& written);

// The layers' nodes as engines call them.
std::vector<std::vector<std::string>> layer_node_names(const Model& model,
                                                       const std::vector<QuantLayer>& layers);

}  // namespace strata
