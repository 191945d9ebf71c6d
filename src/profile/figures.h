// The numbers of one row: of a node, a layer, or a group of layers.
#pragma once

#include <optional>
#include <vector>

#include "strata/cost/amount.h"
#include "strata/cost/layers.h"

namespace strata {

// Bytes that an engine took, in one run.
struct TakenMemory {
  std::int64_t allocated = 0, scratch = 0;
  std::int64_t held = 0;  // after the last of several
  std::int64_t peak = 0;  // of the worst of several
};

// A bit for each precision (profile/kernel_places.h).
using PrecisionSet = std::uint8_t;

struct Figures {
  Expr params;
  Expr param_bytes;
  Amount macs;
  Amount flops;
  Amount read_bytes;
  Amount write_bytes;
  Amount picojoules;                       // by the energy model asked for
  Expr activation_bytes;                   // outputs that others read
  Certainty macs_work = Certainty::Exact;  // of macs
  Certainty work = Certainty::Exact;       // of flops, energy
  Certainty bytes = Certainty::Exact;      // of read, write, activation
  // Bit m: the convention does not count Metric m, so its amount means nothing.
  std::uint8_t missing = 0;
  // Measured: seconds of one inference, the median over the recorded runs; of several
  // layers the sum of theirs. nullopt: not measured, or in the kernel of another layer.
  std::optional<double> seconds;
  std::vector<double> samples;  // the same of each recorded run
  std::optional<TakenMemory> taken;
  PrecisionSet precisions = 0;  // that kernels really compute in; 0: not known
};

void add_samples(std::vector<double>& sum, const std::vector<double>& more);

// Sums; what is unknown is left out and makes the sum a lower bound.
void add_to(Figures& sum, const Figures& more);

}  // namespace strata
