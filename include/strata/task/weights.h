// The job behind `strata stat` of a file of weights: what the file holds. There is no graph in it,
// so no costs are known.
#pragma once

#include <string>

#include "strata/document/document.h"
#include "strata/read/weights.h"
#include "strata/report/weights.h"

namespace strata {

struct WeightsRequest {
  Source source;  // a file, or `model.safetensors.index.json`
  WeightsView view = {};
  double limit = 1;  // multiplies what a file may cost (docs/limits.md)
};

struct WeightsOutcome {
  Weights weights;
  Document document;
};

Result<WeightsOutcome> run_weights(const WeightsRequest& request);

}  // namespace strata
