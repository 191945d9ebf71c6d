// The parts of analyse().
#pragma once

#include "strata/cost/convention.h"
#include "strata/profile/analysis.h"

namespace strata {

inline constexpr std::string_view kPytorchCuda = "pytorch-cuda";
inline constexpr std::string_view kArena = "arena";
inline constexpr std::string_view kRecorded = "recorded";

// Fills in by_layer by the convention and energy model asked for, and by_node where that is more
// than the costs say.
Status count_figures(Analysis& analysis, const AnalysisOptions& options);
// Fills in by_node, if it is empty, for something to be added to it.
void fill_nodes(Analysis& analysis);

// When activations are alive, as far as find_memory() needs it for these options.
Liveness needed_liveness(const Model& model, const Costs& costs, const AnalysisOptions& options);
// Fills in what memory the network needs: the peak of its activations, an arena plan, and a run on
// a device.
Status find_memory(Analysis& analysis, const AnalysisOptions& options, Liveness liveness);

}  // namespace strata
