// Measurements of an engine, told by the layers of the source model: the parts of attach().
#pragma once

#include <string>
#include <vector>

#include "profile/kernel_places.h"
#include "strata/measure/memory.h"
#include "strata/measure/timing.h"
#include "strata/profile/analysis.h"

namespace strata {

std::vector<const Kernel*> kernels_of(const Timing& timing);

// Puts the times of kernels into the figures of layers and nodes. A kernel that does several nodes'
// work counts where most of the arithmetic is.
void use_times(Analysis& analysis, const SourceNodes& nodes, const Timing& timing,
               const TimingFacts& given);
// Puts what the engine took into the figures; returns the layer of the peak.
std::string use_memory(Analysis& analysis, const SourceNodes& nodes, const MemoryTrace& memory);

// The receipt: what the caller says of engine and machine, and the rest from the timing.
TimingFacts timing_facts(const Timing& timing, TimingFacts given);

}  // namespace strata
