#include "edit/float_guard.h"

#include <fmt/format.h>

#include "edit/read_floats.h"
#include "ops/node_view.h"
#include "ops/registry.h"

namespace strata {

namespace {

bool is_conv(const Node& node) {
  const Product product = traits_of(node).product;
  return node.domain.empty() && traits_of(node).int8_output != Int8Output::Unknown &&
         (product == Product::Conv || product == Product::ConvTranspose) && node.inputs.size() >= 2;
}

}  // namespace

bool FloatGuard::is_float_conv(const Reader& reader) const {
  const Node& node = graph_.nodes[reader.node];
  return reader.slot == 0 && is_conv(node) && !placement_.int8[reader.node] &&
         stored_input(graph_, node.inputs[1]).has_value();
}

void FloatGuard::read_by_channel(TensorId id, NodeId maker, TensorId number,
                                 const Quantization& numbers) {
  TensorId back = kNone;
  for (const Reader& reader : links_.readers(id)) {
    if (!is_float_conv(reader)) continue;
    const Node& node = graph_.nodes[reader.node];
    if (back == kNone) {
      const auto dims = stored_input(graph_, node.inputs[1])->data->dims;
      const std::int64_t groups = NodeView(graph_, node).integer(Attr::Groups).value_or(1);
      const bool transposed = traits_of(node).product == Product::ConvTranspose;
      const std::int64_t channels = transposed ? dims[0] : dims[1] * groups;
      back = nodes_.back_by_channel(maker, std::string(graph_.tensors[id].name), number, channels,
                                    numbers, edit_.tensor(id).type);
    }
    edit_.set_input(reader.node, reader.slot, back);
  }
}

// Also true if an optimizer can move the DequantizeLinear past a Reshape, a MaxPool, ….
bool FloatGuard::comes_back(TensorId id) const {
  while (id != kNone && placement_.where[id] != Where::AtProducer) {
    const NodeId producer = graph_.tensors[id].producer;
    if (producer == kNone || placement_.uses[producer] != Int8Use::Passing) return false;
    id = graph_.nodes[producer].inputs[0];
  }
  return id != kNone;
}

Status FloatGuard::guard_others(const std::vector<QuantLayer>& layers) {
  for (NodeId n = 0; n < graph_.nodes.size(); ++n) {
    const Node& node = graph_.nodes[n];
    if (!node.domain.empty() || node.inputs.size() < 2 || placement_.int8[n]) continue;
    if (!comes_back(node.inputs[0])) continue;
    if (traits_of(node).product == Product::Gemm)
      if (auto status = guard_gemm(n); !status) return status;
    if (is_float_conv({n, 0}) && placement_.where[node.inputs[0]] != Where::AtProducer)
      read_copy(n);
  }
  for (const QuantLayer& layer : layers)
    if (layer.bias_add != kNone && !placement_.int8[layer.main] && comes_back(layer.input))
      if (auto status = guard_add(layer); !status) return status;
  return {};
}

Status FloatGuard::guard_gemm(NodeId id) {
  const Node& node = graph_.nodes[id];
  const auto weight = stored_input(graph_, node.inputs[1]);
  if (!weight || weight->data->dims.size() != 2) return {};
  const auto transposes = NodeView(graph_, node).integer(Attr::TransposeSecond);
  const bool turned = (transposes.value_or(0) != 0) != weight->transposed;
  const TensorId bias = node.inputs.size() > 2 ? node.inputs[2] : kNone;
  auto row = bias_row(node.name, bias, weight->data->dims[turned ? 0 : 1]);
  if (!row) return failure(row);
  if (*row != kNone) edit_.set_input(id, 2, *row);
  return {};
}

// ONNX Runtime merges a MatMul and an Add into a Gemm.
Status FloatGuard::guard_add(const QuantLayer& layer) {
  const Node& add = graph_.nodes[layer.bias_add];
  auto row = bias_row(add.name, layer.bias, 0);
  if (!row) return failure(row);
  if (*row != kNone) edit_.set_input(layer.bias_add, add.inputs[0] == layer.bias ? 0 : 1, *row);
  return {};
}

// kNone if there is no vector to change. Without a bias, the result is a row of zeros.
Result<TensorId> FloatGuard::bias_row(std::string_view name, TensorId bias, std::int64_t width) {
  std::vector<float> values(static_cast<std::size_t>(width), 0.0F);
  if (bias != kNone) {
    const auto stored = stored_input(graph_, bias);
    if (!stored || stored->data->dtype != DType::F32 || stored->data->dims.size() != 1)
      return kNone;
    auto read = read_floats(model_, *stored->data, fill_);
    if (!read) return failure(read);
    values = std::move(*read);
  }
  const std::int64_t dims[] = {1, static_cast<std::int64_t>(values.size())};
  return edit_.add_stored(fmt::format("{}_bias_row", name), DType::F32, dims,
                          std::span<const float>(values));
}

void FloatGuard::read_copy(NodeId node) {
  const TensorId id = graph_.nodes[node].inputs[0];
  const std::string name(graph_.tensors[id].name);
  const TensorId copy = edit_.add_activation(name + "_copy", edit_.tensor(id).type);
  edit_.insert_before(node, {.op = "Sum",
                             .name = name + "_Sum",
                             .inputs = std::span<const TensorId>(&id, 1),
                             .output = copy,
                             .scope = edit_.node(node).scope});
  edit_.set_input(node, 0, copy);
}

}  // namespace strata
