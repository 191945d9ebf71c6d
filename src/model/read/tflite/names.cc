#include "read/tflite/names.h"

#include <utility>

namespace strata::tflite {

namespace {

// The last component of the path that TensorFlow gives the operator with the weights.
constexpr std::pair<std::string_view, std::string_view> kLastComponents[] = {
    {"CONV_2D", "Conv2D"},
    {"CONV_2D", "Conv1D"},
    {"CONV_3D", "Conv3D"},
    {"DEPTHWISE_CONV_2D", "depthwise"},
    {"FULLY_CONNECTED", "MatMul"},
    {"BATCH_MATMUL", "MatMul"},
    {"FULLY_CONNECTED", "Tensordot"},
    {"TRANSPOSE_CONV", "conv2d_transpose"},
};

bool has_last_component(std::string_view path, std::string_view wanted) {
  return path.substr(path.rfind('/') + 1).starts_with(wanted);
}

}  // namespace

std::string_view layer_name(std::string_view tensor, std::string_view op) {
  const std::string_view first = tensor.substr(0, tensor.find(';'));
  if (first.size() == tensor.size()) return tensor;
  // Layers whose constants are equal share them, and then the others' paths stand before their own.
  for (const auto& [kind, wanted] : kLastComponents) {
    if (kind != op) continue;
    for (std::string_view rest = tensor; !rest.empty();) {
      const std::size_t at = rest.rfind(';');
      const std::string_view path = at == rest.npos ? rest : rest.substr(at + 1);
      if (has_last_component(path, wanted)) return path;
      rest = at == rest.npos ? std::string_view() : rest.substr(0, at);
    }
  }
  return first;
}

}  // namespace strata::tflite
