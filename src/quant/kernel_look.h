// What an engine makes of a model's layers: in which precision they really run.
#pragma once

#include <string>
#include <vector>

#include "strata/measure/timing.h"
#include "strata/quant/quantize.h"

namespace strata {

struct LayerLook {
  RunsIn runs = RunsIn::Unknown;
  std::string kernel;  // the engine's operator that computes it
};

// The model in `source` is opened as it would be run; nothing is run. Of an engine that does not
// tell its plan, all is unknown. `mains` are the nodes of `model`, the same model, that do the work
// of each layer: Conv, Gemm or MatMul.
Result<std::vector<LayerLook>> look_at_layers(const Engine& engine, const ModelSource& source,
                                              const Model& model,
                                              const std::vector<std::string>& mains,
                                              const SessionOptions& session);

}  // namespace strata
