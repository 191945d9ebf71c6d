// What an engine measured, told by the layers of the source model.
#pragma once

#include <string>
#include <vector>

#include "profile/kernel_places.h"
#include "profile/rows.h"
#include "strata/measure/memory.h"
#include "strata/measure/roofline.h"
#include "strata/measure/timing.h"

namespace strata {

// Seconds of one layer or node in each recorded run; empty: no kernel of its own.
using Samples = std::vector<double>;

struct MeasuredKernel {
  std::string name, op;
  KernelKind kind = KernelKind::Compute;
  Samples seconds;
};

struct Measured {
  std::vector<Samples> by_layer;  // as Layers::list
  std::vector<Samples> by_node;   // as Costs::nodes
  // A layer without a kernel of its own: the layer whose kernel does its work, or
  // why it does not run (`folded into a constant`). Empty for the others.
  std::vector<std::string> instead;
  // Kernels that no layer asked for: changes of layout and type, and those whose
  // source is not known.
  std::vector<MeasuredKernel> without_layer;
  std::vector<std::string> unassigned;  // nodes that neither run nor are known not to
};

// A kernel that does several nodes' work counts where most of the arithmetic is.
Measured assign_times(const Analysis& analysis, const SourceNodes& nodes, const Timing& timing);
std::vector<const Kernel*> kernels_of(const Timing& timing);

// Puts the times into the analysis' figures.
void use_times(Analysis& analysis, const Measured& measured);
// Puts what the engine took into the figures; returns the layer of the peak.
std::string use_memory(Analysis& analysis, const SourceNodes& nodes, const MemoryTrace& memory);

// Sets `bound` and `of_roof` where work, bytes and time are known.
void use_roofline(Row& row, const Roofline& roofline);

// The receipt: what the caller says of engine and machine, and the rest from the timing.
TimingFacts timing_facts(const Timing& timing, const Measured& measured, TimingFacts given);

// Rows for what no layer asked for, and one for the time of an inference that is in no
// row: with them the rows add up to the end-to-end median. They are calls of nothing.
std::vector<Row> rows_beside_layers(const Measured& measured, const Timing& timing,
                                    double in_layers);
// What kernels took that no layer asked for: at their rows among those, which may be made.
void take_beside_layers(const SourceNodes& nodes, const MemoryTrace& memory,
                        std::vector<Row>& beside);

}  // namespace strata
