#include "zoo/weight_roles.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "ops/registry.h"
#include "strata/cost/cost.h"
#include "zoo/moments.h"

namespace strata::zoo {

namespace {

constexpr Distribution kAroundOne = {1, 0.1F, 1, 1};
constexpr Distribution kSmall = {0, 0.02F, -8, 7};
constexpr Distribution kQuantized = {0, 0.02F, -64, 63};
// RetinaNet's published start: every class is unlikely (1 %), as most anchors hold nothing.
constexpr Distribution kUnlikely = {-4.595F, 0.02F, -8, 7};
constexpr double kQuantizedDeviation = 36.9;  // of integers from -64 to 63

// A node's inputs that hold a layer's weights, and what multiplies what.
struct Linear {
  std::size_t weight;      // which input
  std::size_t activation;  // which it is multiplied with
  double fan_in;           // elements that go into one of the output
};

class RoleFinder {
 public:
  explicit RoleFinder(const Model& model) { walk(model.graph(), {}); }
  Distributions take() { return std::move(found_); }

 private:
  using AllMoments = std::vector<Moments>;

  void walk(const Graph& graph, const AllMoments& outer) {
    AllMoments moments(graph.tensors.size());
    for (TensorId id = 0; id < graph.tensors.size(); ++id)
      if (graph.tensors[id].role == Role::Captured && graph.tensors[id].outer < outer.size())
        moments[id] = outer[graph.tensors[id].outer];
    for (const Node& node : graph.nodes) {
      const Moments out = visit(graph, node, moments);
      for (const TensorId id : node.outputs)
        if (id != kNone) moments[id] = out;
      for (const Attribute& attribute : node.attributes) {
        if (const auto* body = std::get_if<Graph*>(&attribute.value)) walk(**body, moments);
        if (const auto* bodies = std::get_if<std::span<Graph* const>>(&attribute.value))
          for (const Graph* body : *bodies) walk(*body, moments);
      }
    }
  }

  // Gives the node's weights their distributions; returns the moments of its output.
  Moments visit(const Graph& graph, const Node& node, const AllMoments& moments) {
    const OpRule* rule = find_rule(node.domain, node.op, node.opset);
    const bool passes = rule != nullptr && rule->passes_weights;
    const std::optional<Linear> linear = linear_of(graph, node);
    std::vector<Moments> inputs;
    double factor = 1;
    for (std::size_t slot = 0; slot < node.inputs.size(); ++slot) {
      const TensorId id = node.inputs[slot];
      if (id == kNone) continue;
      const TensorData* data = weight_of(graph, id).data;
      if (data == nullptr) {
        inputs.push_back(moments[id]);
        continue;
      }
      if (node.op == "Mul") factor *= scalar(*data, 1);
      if (node.op == "Div" && slot == 1) factor /= scalar(*data, 1);
      if ((passes && slot == 0) || (linear && slot == linear->weight)) continue;
      found_.try_emplace(data, role(graph, node, slot, *data));
    }
    if (linear) return after_linear(graph, node, *linear, moments);
    if (node.op == "Gather" && inputs.size() <= 1 && !node.inputs.empty())
      if (const TensorData* table = weight_of(graph, node.inputs[0]).data)
        return {0,
                table->store == TensorData::Store::Absent ? square(found_.at(table).deviation) : 1};
    if (inputs.empty()) return {0, square(kSmall.deviation)};
    if (const std::optional<Moments> gated = after_gate(graph, node, moments)) return *gated;
    Moments out = inputs.size() == 1 && (node.op == "Add" || node.op == "Mul" || node.op == "Div" ||
                                         node.op == "Sub" || node.op == "Concat")
                      ? inputs[0]
                      : moments_after(node, inputs);
    out.mean *= factor;
    out.square *= factor * factor;
    return out;
  }

  static double square(double x) { return x * x; }

  // The one element of a small constant, else `otherwise`.
  static double scalar(const TensorData& data, double otherwise) {
    if (!data.elements().is(1)) return otherwise;
    const std::optional<Value> value = decode(data);
    if (!value || value->items.empty()) return otherwise;
    const double number = value->items[0].number().value_or(otherwise);
    return number != 0 && std::isfinite(number) ? number : otherwise;
  }

  // x times a gate that was computed from x.
  static std::optional<Moments> after_gate(const Graph& graph, const Node& node,
                                           const AllMoments& moments) {
    if (node.op != "Mul" || node.inputs.size() != 2) return std::nullopt;
    for (const std::size_t slot : {0, 1}) {
      const TensorId x = node.inputs[1 - slot], gate = node.inputs[slot];
      if (x == kNone || gate == kNone || graph.tensors[gate].producer == kNone) continue;
      const Node& maker = graph.nodes[graph.tensors[gate].producer];
      if (maker.inputs.empty() || maker.inputs[0] != x) continue;
      if (maker.op == "Sigmoid") return after_silu(moments[x]);
      if (maker.op == "HardSigmoid") return after_hardswish(moments[x]);
    }
    return std::nullopt;
  }

  static std::optional<std::int64_t> size(const Graph& graph, TensorId id, int axis) {
    const TypeInfo& type = graph.tensors[id].type;
    const auto rank = static_cast<int>(type.dims.size());
    if (axis < 0) axis += rank;
    if (!type.ranked || axis < 0 || axis >= rank) return std::nullopt;
    return type.dims[static_cast<std::size_t>(axis)].number();
  }

  static std::int64_t integer(const Node& node, std::string_view name, std::int64_t otherwise) {
    const Attribute* attribute = node.attribute(name);
    const auto* item =
        attribute == nullptr ? nullptr : std::get_if<std::int64_t>(&attribute->value);
    return item == nullptr ? otherwise : *item;
  }

  static double count(const TensorData& data) {
    const auto elements = data.elements().number();
    return elements ? std::max(static_cast<double>(*elements), 1.0) : 1;
  }

  static std::optional<Linear> linear_of(const Graph& graph, const Node& node) {
    const auto stored = [&](std::size_t slot) -> const TensorData* {
      if (slot >= node.inputs.size() || node.inputs[slot] == kNone) return nullptr;
      return weight_of(graph, node.inputs[slot]).data;
    };
    const auto axis = [&](std::size_t slot, int at, const TensorData& data) {
      const auto known = size(graph, node.inputs[slot], at);
      // Not inferred: the side of a square is as good a guess as any.
      return known ? static_cast<double>(*known) : std::sqrt(count(data));
    };
    const std::string_view op = node.op;
    const TensorData* second = stored(1);
    if (second != nullptr && (op == "Conv" || op == "FusedConv" || op == "NhwcConv"))
      return Linear{1, 0, count(*second) / axis(1, 0, *second)};
    if (second != nullptr && op == "ConvTranspose") {
      double strides = static_cast<double>(integer(node, "group", 1));
      if (const Attribute* attribute = node.attribute("strides"))
        if (const auto* items = std::get_if<std::span<const std::int64_t>>(&attribute->value))
          for (const std::int64_t item : *items) strides *= static_cast<double>(item);
      return Linear{1, 0, std::max(count(*second) / axis(1, 1, *second) / strides, 1.0)};
    }
    if (second != nullptr && op == "Gemm")
      return Linear{1, 0, axis(1, integer(node, "transB", 0) != 0 ? 1 : 0, *second)};
    if (second != nullptr && (op == "MatMul" || op == "FusedMatMul"))
      return Linear{1, 0, axis(1, integer(node, "transB", 0) != 0 ? -1 : -2, *second)};
    const TensorData* first = stored(0);
    if (first != nullptr && (op == "MatMul" || op == "Gemm"))
      return Linear{0, 1, axis(0, -1, *first)};
    if (second != nullptr && op == "Attention" && !node.domain.empty())
      return Linear{1, 0, axis(1, 0, *second)};
    return std::nullopt;
  }

  // The weights are such that an output has a variance of 1, unless another layer
  // has chosen them already.
  Moments after_linear(const Graph& graph, const Node& node, const Linear& linear,
                       const AllMoments& moments) {
    constexpr double kLeast = 1e-2, kMost = 1e6;
    const TensorId weight = node.inputs[linear.weight];
    const TensorId input = node.inputs[linear.activation];
    const TensorData* data = weight_of(graph, weight).data;
    const bool is_stored = input == kNone || weight_of(graph, input).data != nullptr;
    const double before = std::clamp(is_stored ? 1 : moments[input].square, kLeast, kMost);
    const double wanted = 1 / std::sqrt(std::max(linear.fan_in, 1.0) * before);
    Distribution own = {0, static_cast<float>(wanted), -8, 7};
    if (!is_float(data->dtype)) {
      own = kQuantized;
      set_scale(graph, weight, wanted / kQuantizedDeviation);
    }
    const auto [known, is_new] = found_.try_emplace(data, own);
    if (is_new || !is_float(data->dtype) || data->store != TensorData::Store::Absent) return {};
    return {0, std::max(linear.fan_in, 1.0) * before * square(known->second.deviation)};
  }

  void set_scale(const Graph& graph, TensorId id, double scale) {
    const NodeId producer = graph.tensors[id].producer;
    if (producer == kNone) return;
    const Node& node = graph.nodes[producer];
    if (node.op != "DequantizeLinear" || node.inputs.size() < 2 || node.inputs[1] == kNone) return;
    if (const TensorData* data = weight_of(graph, node.inputs[1]).data)
      found_[data] = Distribution::constant(static_cast<float>(scale));
  }

  static Distribution role(const Graph& graph, const Node& node, std::size_t slot,
                           const TensorData& data) {
    const std::string_view op = node.op;
    if (data.name.ends_with("classification_head.cls_logits.bias")) return kUnlikely;
    if (op == "BatchNormalization") return slot == 1 || slot == 4 ? kAroundOne : kSmall;
    if (op.starts_with("Skip")) return slot == 2 ? kAroundOne : kSmall;
    if (op.find("Normalization") != op.npos) return slot == 1 ? kAroundOne : kSmall;
    if (op == "Mul" || op == "Div") return kAroundOne;
    if (op == "PRelu") return {0.25F, 0.02F, 0, 1};
    if (slot == 1 && op.starts_with("Gather")) {
      const auto rows = size(graph, node.inputs[0], static_cast<int>(integer(node, "axis", 0)));
      return {0, 0, 0, rows ? std::max<std::int64_t>(*rows - 1, 0) : 0};
    }
    if ((op == "LSTM" || op == "GRU" || op == "RNN") && (slot == 1 || slot == 2)) {
      const double fan_in = data.dims.empty() ? 1 : static_cast<double>(data.dims.back());
      return {0, static_cast<float>(1 / std::sqrt(std::max(fan_in, 1.0))), -8, 7};
    }
    if (op == "QuantizeLinear" || op == "DequantizeLinear" || op.starts_with("QLinear") ||
        op.ends_with("Integer") || op == "MatMulNBits") {
      if (is_float(data.dtype)) return Distribution::constant(0.03F);  // ±3.8 in 8 bits
      if (slot == 2 || data.dims.empty()) return Distribution::constant(0);
      return kQuantized;
    }
    if (data.dtype == DType::Bool) return {0, 0, 0, 1};
    return kSmall;
  }

  Distributions found_;
};

}  // namespace

Distributions distributions(const Model& model) { return RoleFinder(model).take(); }

}  // namespace strata::zoo
