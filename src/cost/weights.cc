#include "cost/weights.h"

#include "ops/registry.h"

namespace strata {

namespace {

constexpr int kMaxChain = 64;  // longer chains of Identity and the like are not followed

WeightRef constant_of(const Node& node) {
  WeightRef weight;
  weight.from_constant = true;
  if (const Attribute* attribute = node.attribute("value"))
    if (const auto* data = std::get_if<const TensorData*>(&attribute->value)) weight.data = *data;
  return weight;
}

// Normalizations and the like have weights but no MACs.
bool takes_weights(const Node& node, const NodeCost& cost) {
  if (!cost.macs.is(0)) return true;
  return node.op.find("Normalization") != node.op.npos || node.op == "PRelu";
}

}  // namespace

bool is_learned(const WeightRef& weight, const Node& node, const NodeCost& cost) {
  const DType type = weight.data->dtype;
  if (weight.from_constant && (!takes_weights(node, cost) || weight.data->dims.empty()))
    return false;
  if (is_float(type)) return true;
  if (type == DType::I32) return takes_weights(node, cost);
  return is_integer(type) && bits(type) <= 8;
}

WeightRef weight_of(const Graph& start, TensorId id) {
  const Graph* graph = &start;
  const Tensor* own_copy = nullptr;
  for (int step = 0; step < kMaxChain && id != kNone; ++step) {
    const Tensor& tensor = graph->tensors[id];
    if (tensor.role == Role::Captured) {
      id = tensor.outer;
      graph = graph->parent;
      continue;
    }
    WeightRef found;
    if (tensor.role == Role::Initializer) {
      found.data = tensor.data;
    } else {
      if (tensor.producer == kNone) return {};
      const Node& node = graph->nodes[tensor.producer];
      const bool own_domain = node.domain.empty();
      if (!own_domain || node.op != "Constant") {
        const OpRule* rule = find_rule(node.domain, node.op, node.opset);
        if (rule == nullptr || !rule->passes_weights || node.inputs.empty()) return {};
        // Exporters merge equal parameters and leave an Identity for each that
        // went: what it gives is a parameter of its own.
        if (own_domain && node.op == "Identity" && own_copy == nullptr) own_copy = &tensor;
        id = node.inputs[0];
        continue;
      }
      found = constant_of(node);
    }
    const void* key = own_copy != nullptr ? static_cast<const void*>(own_copy) : found.data;
    found.key = reinterpret_cast<std::uintptr_t>(key);
    return found;
  }
  return {};
}

}  // namespace strata
