// The precision in which an engine really runs a model's layers.
#pragma once

#include <string>
#include <vector>

#include "strata/measure/timing.h"
#include "strata/quantize/quantize.h"

namespace strata {

struct LayerLook {
  RunsIn runs = RunsIn::Unknown;
  std::string kernel;  // the engine's operator that computes it
};

// Opens the model in `source` as for a run, but runs nothing. If the engine cannot give its plan,
// everything is unknown. `mains` are the nodes of `model`, the same model, that do the work
// of each layer: Conv, Gemm or MatMul.
Result<std::vector<LayerLook>> look_at_layers(const Engine& engine, const ModelSource& source,
                                              const Model& model,
                                              const std::vector<std::string>& mains,
                                              const SessionOptions& session);

}  // namespace strata
