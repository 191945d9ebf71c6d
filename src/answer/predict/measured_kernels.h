// Kernels of the predictor with the times that an engine measured for them, and the constants that
// fit these times.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "strata/cost/cost.h"
#include "strata/engine/engine.h"
#include "strata/graph/graph.h"
#include "strata/predict/kernels.h"

namespace strata {

struct TimedKernel {
  FusedKernel kernel;
  double seconds = 0;
};

// The times of one network, by the predictor's kernels.
struct PlacedTimes {
  std::vector<TimedKernel> kernels;  // that an engine ran by themselves
  double together = 0;  // seconds in kernels of the engine that do the work of several of ours
  double beside = 0;    // seconds in kernels that none of ours asks for, such as changes of layout
};

// A kernel of the engine, with the nodes of the model that it computes.
struct EngineKernel {
  std::vector<std::string> sources;  // as node_keys() calls them
  double seconds = 0;
};

PlacedTimes place_times(const Model& model, const Costs& costs,
                        std::span<const FusedKernel> kernels, std::span<const EngineKernel> timed);

struct ClassConstants {
  KernelClass kind = KernelClass::Other;
  double compute = 1, memory = 1;  // shares of the peak and of the bandwidth
  double launch_seconds = 0;
  std::size_t kernels = 0;
  double median_error = 0;  // of the kernels that they were fitted to, |predicted / measured - 1|
};

// Constants of each class that has kernels. `peak` is in operations a second, `bandwidth` in bytes.
std::vector<ClassConstants> fit_classes(std::span<const TimedKernel> kernels, double peak,
                                        double bandwidth);

}  // namespace strata
