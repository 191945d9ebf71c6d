// The predicted time of each layer on a device.
#pragma once

#include "strata/cost/layers.h"
#include "strata/device/device.h"
#include "strata/predict/kernels.h"
#include "strata/profile/split.h"

namespace strata {

// GPUs run eager, everything else compiled: that is what was measured.
Runtime usual_runtime(const Device& device);

// A kernel that several layers run in counts for its main one.
Result<LayerTimes> times_on_device(const Model& model, const Costs& costs, const Layers& layers,
                                   const Device& device);

}  // namespace strata
