#include "task/float_model.h"

#include <fmt/format.h>

#include "strata/edit/qdq.h"

namespace strata {

Result<LoadedModel> load_float_model(const ModelRequest& request) {
  auto loaded = load_one_item(request);
  if (!loaded) return loaded;
  if (Status status = check_has_weights(loaded->model); !status) return failure(status);
  if (Status status = check_not_quantized(loaded->model); !status)
    return failure_in(request.path, status);
  return loaded;
}

Result<std::vector<QuantLayer>> layers_to_quantize(const LoadedModel& loaded,
                                                   const ModelRequest& request) {
  auto layers = find_quant_layers(loaded.model);
  if (layers.empty())
    return failure(fmt::format("{}: {}", request.path, why_no_layers(loaded.model)));
  return layers;
}

}  // namespace strata
