#include "task/float_model.h"

#include <fmt/format.h>

#include "read/looks_like.h"
#include "read/registry.h"
#include "strata/edit/qdq.h"

namespace strata {

Error not_onnx(const Source& source) {
  const ModelFormat& format = *source.format();
  return {fmt::format("{}: it cannot be run, because this takes an ONNX file, and it is {}; {}",
                      source.word(), format.one, advice_for({{}, format.to_onnx}, source.word())),
          ErrorKind::Model};
}

Status check_is_onnx(const Source& source) {
  const ModelFormat* format = source.format();
  if (format != nullptr && !format->to_onnx.empty()) return failure(not_onnx(source));
  return {};
}

Result<LoadedModel> load_float_model(const ModelRequest& request) {
  // It is refused before it is read, because reading a TorchScript file means running it.
  if (Status status = check_is_onnx(request.source); !status) return failure(status);
  auto loaded = load_one_item(request);
  if (!loaded) return loaded;
  if (Status status = check_has_weights(loaded->model, request.source); !status)
    return failure(status);
  if (Status status = check_not_quantized(loaded->model); !status)
    return failure_in(request.source.word(), status);
  return loaded;
}

Result<std::vector<QuantLayer>> layers_to_quantize(const LoadedModel& loaded,
                                                   const ModelRequest& request) {
  auto layers = find_quant_layers(loaded.model);
  if (layers.empty())
    return failure(Code::NothingToQuantize, {.model = request.source.word()},
                   fmt::format("{}: {}", request.source.word(), why_no_layers(loaded.model)));
  return layers;
}

}  // namespace strata
