// The parts of analyse().
#pragma once

#include "strata/cost/convention.h"
#include "strata/profile/analysis.h"

namespace strata {

inline constexpr std::string_view kPytorchCuda = "pytorch-cuda";
inline constexpr std::string_view kArena = "arena";

// Fills in by_layer and by_node by the convention and energy model asked for.
Status count_figures(Analysis& analysis, const AnalysisOptions& options);

// Fills in what memory the network needs: the peak of its activations, an arena plan, and a run on
// a device.
Status find_memory(Analysis& analysis, const AnalysisOptions& options);

}  // namespace strata
