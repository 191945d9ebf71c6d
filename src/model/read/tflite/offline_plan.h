// The plan for TFLite Micro's arena that a converter may have left in a file: offsets of tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "read/tflite/loading.h"

namespace strata::tflite {

// The offsets of all tensors of all subgraphs, in the order of the file; kPlannedLater: the planner
// on the chip finds one. Empty if the plan is not for this number of tensors, so that TFLite Micro
// refuses the file; nullopt if there is no plan.
std::optional<std::vector<std::int32_t>> offline_plan_of(Loading& loading);

// Keeps the plan as metadata of the model, with the tensors in the order of the model's graphs.
void keep_offline_plan(Loading& loading);

}  // namespace strata::tflite
