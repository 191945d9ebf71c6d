#include "build/weight_roles.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "build/moments.h"
#include "ops/node_view.h"
#include "ops/registry.h"
#include "strata/cost/cost.h"

namespace strata::build {

namespace {

constexpr Distribution kAroundOne = {1, 0.1F, 1, 1};
constexpr Distribution kSmall = {0, 0.02F, -8, 7};
constexpr Distribution kQuantized = {0, 0.02F, -64, 63};
// RetinaNet's published initialization: every class is unlikely (1 %), since most anchors are
// empty.
constexpr Distribution kUnlikely = {-4.595F, 0.02F, -8, 7};
constexpr double kQuantizedDeviation = 36.9;  // for integers from -64 to 63

// The inputs of a node that hold a layer's weights, and what they are multiplied by.
struct Linear {
  std::size_t weight;      // index of the input
  std::size_t activation;  // index of the input it is multiplied by
  double fan_in;           // elements that contribute to one element of the output
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

  // Assigns distributions to the node's weights and returns the moments of its output.
  Moments visit(const Graph& graph, const Node& node, const AllMoments& moments) {
    const OpRule* rule = find_rule(node.domain, node.op, node.opset);
    const bool passes = rule != nullptr && rule->passes_weights;
    const Op op = traits_of(node).op;
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
      if (op == Op::Mul) factor *= scalar(*data, 1);
      if (op == Op::Div && slot == 1) factor /= scalar(*data, 1);
      if ((passes && slot == 0) || (linear && slot == linear->weight)) continue;
      found_.try_emplace(data, role(graph, node, slot, *data));
    }
    if (linear) return after_linear(graph, node, *linear, moments);
    if (op == Op::Gather && inputs.size() <= 1 && !node.inputs.empty())
      if (const TensorData* table = weight_of(graph, node.inputs[0]).data)
        return {0,
                table->store == TensorData::Store::Absent ? square(found_.at(table).deviation) : 1};
    if (inputs.empty()) return {0, square(kSmall.deviation)};
    if (const std::optional<Moments> gated = after_gate(graph, node, moments)) return *gated;
    const bool combines =
        op == Op::Add || op == Op::Sub || op == Op::Mul || op == Op::Div || op == Op::Concat;
    Moments out = inputs.size() == 1 && combines ? inputs[0] : moments_after(node, inputs);
    out.mean *= factor;
    out.square *= factor * factor;
    return out;
  }

  static double square(double x) { return x * x; }

  // The single element of a small constant, otherwise `otherwise`.
  static double scalar(const TensorData& data, double otherwise) {
    if (!data.elements().is(1)) return otherwise;
    const std::optional<Value> value = decode(data);
    if (!value || value->items.empty()) return otherwise;
    const double number = value->items[0].number().value_or(otherwise);
    return number != 0 && std::isfinite(number) ? number : otherwise;
  }

  // x times a gate that is computed from x.
  static std::optional<Moments> after_gate(const Graph& graph, const Node& node,
                                           const AllMoments& moments) {
    if (traits_of(node).op != Op::Mul || node.inputs.size() != 2) return std::nullopt;
    for (const std::size_t slot : {0, 1}) {
      const TensorId x = node.inputs[1 - slot], gate = node.inputs[slot];
      if (x == kNone || gate == kNone || graph.tensors[gate].producer == kNone) continue;
      const Node& maker = graph.nodes[graph.tensors[gate].producer];
      if (maker.inputs.empty() || maker.inputs[0] != x) continue;
      const LayerKind kind = traits_of(maker).kind;
      if (kind == LayerKind::Sigmoid) return after_silu(moments[x]);
      if (kind == LayerKind::Hardsigmoid) return after_hardswish(moments[x]);
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
      // If it was not inferred, the side of a square is as good a guess as any.
      return known ? static_cast<double>(*known) : std::sqrt(count(data));
    };
    const OpRule* rule = find_rule(node.domain, node.op, node.opset);
    // Integers and packed weights are not drawn like floats.
    if (rule == nullptr || rule->parameters != nullptr ||
        rule->traits.quantized != Quantized::Unknown)
      return std::nullopt;
    const Traits& traits = rule->traits;
    const TensorData* weights = stored(traits.weights);
    const NodeView view(graph, node);
    const bool turned = view.integer(Attr::TransposeSecond).value_or(0) != 0;
    switch (traits.product) {
      case Product::Conv:
        if (weights == nullptr) return std::nullopt;
        return Linear{traits.weights, 0, count(*weights) / axis(traits.weights, 0, *weights)};
      case Product::ConvTranspose: {
        if (weights == nullptr) return std::nullopt;
        auto strides = static_cast<double>(view.integer(Attr::Groups).value_or(1));
        for (const std::int64_t stride : view.integers(Attr::Strides))
          strides *= static_cast<double>(stride);
        const double inputs = count(*weights) / axis(traits.weights, 1, *weights);
        return Linear{traits.weights, 0, std::max(inputs / strides, 1.0)};
      }
      case Product::Gemm:
        if (weights != nullptr)
          return Linear{traits.weights, 0, axis(traits.weights, turned ? 1 : 0, *weights)};
        break;
      case Product::MatMul:
        if (weights != nullptr)
          return Linear{traits.weights, 0, axis(traits.weights, turned ? -1 : -2, *weights)};
        break;
      default:
        return std::nullopt;
    }
    const TensorData* first = stored(0);
    if (first == nullptr || traits.kind_with_weights != LayerKind::Linear) return std::nullopt;
    return Linear{0, traits.weights, axis(0, -1, *first)};
  }

  // Chooses the weights so that an output has a variance of 1, unless another layer has already
  // chosen them.
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
    const bool scales = traits_of(node).quantized == Quantized::Dequantizes;
    if (!scales || node.inputs.size() < 2 || node.inputs[1] == kNone) return;
    if (const TensorData* data = weight_of(graph, node.inputs[1]).data)
      found_[data] = Distribution::constant(static_cast<float>(scale));
  }

  static Distribution role(const Graph& graph, const Node& node, std::size_t slot,
                           const TensorData& data) {
    const OpRule* rule = find_rule(node.domain, node.op, node.opset);
    const Traits& traits = traits_of(node);
    const Op op = traits.op;
    if (data.name.ends_with("classification_head.cls_logits.bias")) return kUnlikely;
    if (traits.norm.how != Normalizes::Unknown)
      return slot == traits.norm.scale || slot == traits.norm.variance ? kAroundOne : kSmall;
    if (op == Op::Mul || op == Op::Div) return kAroundOne;
    if (slot == traits.slope) return {0.25F, 0.02F, 0, 1};
    if (slot == 1 && (op == Op::Gather || op == Op::GatherND)) {
      const std::int64_t axis = NodeView(graph, node).integer(Attr::Axis).value_or(0);
      const auto rows = size(graph, node.inputs[0], static_cast<int>(axis));
      return {0, 0, 0, rows ? std::max<std::int64_t>(*rows - 1, 0) : 0};
    }
    if (traits.kind == LayerKind::Recurrent && (slot == 1 || slot == 2)) {
      const double fan_in = data.dims.empty() ? 1 : static_cast<double>(data.dims.back());
      return {0, static_cast<float>(1 / std::sqrt(std::max(fan_in, 1.0))), -8, 7};
    }
    const bool packed = rule != nullptr && rule->parameters != nullptr;
    if (packed || traits.quantized != Quantized::Unknown) {
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

}  // namespace strata::build
