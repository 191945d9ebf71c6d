// One row of a profile: a call, a module, a node or a group of them, with all its numbers. Columns
// choose which of them a table shows.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "strata/base/boxed.h"
#include "strata/cost/amount.h"
#include "strata/cost/device_memory.h"
#include "strata/cost/layers.h"

namespace strata {

// Bytes that an engine took, in one run.
struct TakenMemory {
  std::int64_t allocated = 0, scratch = 0;
  std::int64_t held = 0;  // after the last of several
  std::int64_t peak = 0;  // of the worst of several
};

// A bit for each precision, the narrowest first: int4, int8, fp8, fp16, bf16, fp32, fp64.
using PrecisionSet = std::uint8_t;
// `int8`, `int8+fp32`; empty if none is known.
std::string precision_text(PrecisionSet precisions);

// The work of a training step by its phases, indexed by Phase.
struct PhaseFigures {
  std::array<Amount, 4> macs, flops;
  std::array<Certainty, 4> macs_work = {}, work = {};  // of macs, of flops
};

struct Figures {
  Expr params;
  Expr param_bytes;
  Amount macs;
  Amount flops;
  Amount read_bytes;
  Amount write_bytes;
  Amount picojoules;                       // by the energy model asked for
  Amount load_macs, load_flops;            // of work on constants, done once at load
  Expr activation_bytes;                   // outputs that others read
  Certainty macs_work = Certainty::Exact;  // of macs
  Certainty work = Certainty::Exact;       // of flops, energy
  Certainty bytes = Certainty::Exact;      // of read, write, activation
  // Bit m: the convention does not count Metric m, so its amount means nothing.
  std::uint8_t missing = 0;
  PrecisionSet precisions = 0;  // that kernels really compute in; 0: not known
  // Measured: seconds of one inference, the median over the recorded runs; of several
  // layers the sum of theirs. nullopt: not measured, or in the kernel of another layer.
  std::optional<double> seconds;
  std::vector<double> samples;  // the same of each recorded run
  Boxed<TakenMemory> taken;
  Boxed<PhaseFigures> phases;
};

struct Row {
  std::string layer;  // module path, `layer1.0.Add` for an operation between modules
  std::string type;   // `Conv2d`, `Conv2d+BatchNorm2d+ReLU`
  std::string input;  // shapes, several separated by `, `
  std::string output;
  std::string dtype;        // of the first output
  std::uint32_t index = 0;  // in running order
  // Its main one of Costs::nodes. Of a kernel that no layer asked for, the one that runs next.
  std::uint32_t node = kNone;
  bool functional = false;  // an operation between modules
  LayerKind kind = LayerKind::Other;
  std::string block;        // its number by stage and block, where the network has that
  std::uint32_t depth = 0;  // in the module tree
  std::uint32_t call = 0;   // which call of this module, counted from 0
  std::uint32_t calls = 1;  // how many calls the row stands for
  Figures figures;
  std::optional<CallMemory> device;      // of one call: a row of several has none
  std::optional<double> seconds_so_far;  // of this row and those before it
  std::string bound;                     // `compute`, `memory`, `neither`
  std::optional<double> of_roof;         // percent of what the machine allows
  std::optional<double> time_share;      // percent of the end-to-end time
  double drift = 0;                      // of the machine's pace: see session_center
  std::vector<std::size_t> sessions;     // how many of the samples each gave; empty: no interval
  std::string instead;                   // in whose kernel it runs, or why it does not
  bool fused = false;                    // it runs in the kernel that `instead` names
  std::optional<std::int64_t> alive;     // bytes of activations, most while it runs
  std::string formula;                   // of its work; empty unless it was asked for
};

// Rows can be many and are large: of a deque, each is freed once its cells are made.
using RowList = std::deque<Row>;

}  // namespace strata
