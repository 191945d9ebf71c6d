#include "strata/task/weights.h"

namespace strata {

Result<WeightsOutcome> run_weights(const WeightsRequest& request) {
  auto weights = read_weights(request.source, {.limit = request.limit});
  if (!weights) return failure(weights);
  Document document = weights_document(*weights, request.view);
  return WeightsOutcome{std::move(*weights), std::move(document)};
}

}  // namespace strata
