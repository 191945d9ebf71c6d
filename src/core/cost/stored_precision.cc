#include "strata/cost/stored_precision.h"

#include "ops/registry.h"

namespace strata {

namespace {

std::string_view precision_of(DType type) {
  switch (type) {
    case DType::F16:
      return "fp16";
    case DType::BF16:
      return "bf16";
    case DType::F64:
      return "fp64";
    default:
      return "fp32";
  }
}

}  // namespace

std::string_view stored_precision(const Model& model) {
  std::string_view precision = "fp32";
  std::int64_t most = 0;
  for (const Graph& graph : model.graphs) {
    for (const Node& node : graph.nodes) {
      const Quantized quantized = traits_of(node).quantized;
      if (quantized == Quantized::Dequantizes || quantized == Quantized::Computes) return "int8";
    }
    for (const Tensor& tensor : graph.tensors) {
      if (tensor.data == nullptr || !is_float(tensor.data->dtype)) continue;
      const auto elements = tensor.data->elements().number();
      if (!elements || *elements <= most) continue;
      most = *elements;
      precision = precision_of(tensor.data->dtype);
    }
  }
  return precision;
}

}  // namespace strata
