#include "edit/placement.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "edit/following.h"
#include "edit/quantize_values.h"
#include "ops/node_view.h"
#include "ops/registry.h"

namespace strata {

namespace {

bool is_float_tensor(const Graph& graph, TensorId id) {
  return id != kNone && graph.tensors[id].type->dtype == DType::F32 &&
         graph.tensors[id].type->kind == ValueKind::Tensor;
}

// A stored operand is a scale or a shift, which may be far from what it is applied to.
bool reads_activations_alone(const Node& node, const std::vector<bool>& constant) {
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    if (node.inputs[i] == kNone || constant[node.inputs[i]] ||
        (i > 0 && node.inputs[i] == node.inputs[0]))
      return false;
  return true;
}

// The range of the next tensor clips exactly like this node only if its bounds are known and
// contain 0.
bool is_cut_off(const Graph& graph, const Node& node) {
  for (std::size_t slot = 1; slot < node.inputs.size(); ++slot)
    if (node.inputs[slot] != kNone && !stored_number(graph, node.inputs[slot])) return false;
  const Range bounds = clip_bounds(graph, node);
  return bounds.low <= 0 && bounds.high >= 0;
}

Int8Use int8_use(const Graph& graph, const Node& node, const std::vector<bool>& constant) {
  if (!node.domain.empty() || node.inputs.empty() || node.outputs.empty()) return Int8Use::None;
  if (!is_float_tensor(graph, node.outputs[0])) return Int8Use::None;
  const Traits& traits = traits_of(node);
  for (std::size_t i = 1; i < node.outputs.size(); ++i)
    if (node.outputs[i] != kNone && !traits.int8_any_outputs) return Int8Use::None;
  const Int8Use use = traits.int8_of ? traits.int8_of(NodeView(graph, node)) : traits.int8;
  switch (use) {
    case Int8Use::Unknown:
      return Int8Use::None;
    case Int8Use::Arithmetic:
      return reads_activations_alone(node, constant) ? use : Int8Use::Soft;
    case Int8Use::Absorbed:
      return is_cut_off(graph, node) ? use : Int8Use::Soft;
    default:
      return use;
  }
}

// How much is known about an activation: nothing, its range, or that it is an integer.
enum class State : std::uint8_t { Float, Soft, Int8 };

class Placer {
 public:
  Placer(const Model& model, const Links& links, const std::vector<QuantLayer>& layers,
         const StaysFloat& floats)
      : graph_(model.graph()),
        links_(links),
        constant_(constant_tensors(graph_)),
        part_(graph_.nodes.size(), Part::None),
        is_main_(graph_.nodes.size(), false),
        demoted_(graph_.nodes.size(), false),
        state_(graph_.tensors.size(), State::Float),
        absorbed_(graph_.tensors.size(), false),
        float_(graph_.tensors.size(), false) {
    placement_.int8.assign(graph_.nodes.size(), false);
    placement_.where.assign(graph_.tensors.size(), Where::Nowhere);
    placement_.root.resize(graph_.tensors.size());
    placement_.uses.resize(graph_.nodes.size());
    for (NodeId n = 0; n < graph_.nodes.size(); ++n)
      placement_.uses[n] = int8_use(graph_, graph_.nodes[n], constant_);
    find_curves();
    find_floats(floats.tensors);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const bool kept = i < floats.layers.size() && floats.layers[i];
      set_parts(layers[i], kept || reads_or_gives_floats(layers[i]));
    }
  }

  Placement place() {
    forward();
    const std::vector<bool> wanted = find_wanted(true), wanted_at_once = find_wanted(false);
    for (NodeId n = 0; n < graph_.nodes.size(); ++n)
      demoted_[n] = part_[n] == Part::Main   ? !gives_any(n, wanted_at_once)
                    : part_[n] == Part::None ? !gives_any(n, wanted) && !ends_kernel(n)
                                             : false;
    forward();
    find_places();
    return std::move(placement_);
  }

 private:
  enum class Part : std::uint8_t {
    None,
    Kept,   // part of a layer that stays in float
    Main,   // its output may stay in float: Gemm
    Conv,   // its output must be whole numbers, or the kernel is not int8
    Inner,  // what its layer's norm reads
    Float,  // gives floats: MatMul, ConvTranspose and the bias after it
  };

  Part part_of_main(const QuantLayer& layer) const {
    switch (traits_of(graph_.nodes[layer.main]).int8_output) {
      case Int8Output::Whole:
        return Part::Conv;
      case Int8Output::Either:
        return Part::Main;
      case Int8Output::Unknown:
      case Int8Output::Floats:
        break;
    }
    return Part::Float;
  }

  void set_parts(const QuantLayer& layer, bool keep) {
    if (keep) {
      for (const NodeId n : layer.nodes) part_[n] = Part::Kept;
      return;
    }
    part_[layer.norm != kNone ? layer.norm : layer.main] = part_of_main(layer);
    if (layer.norm != kNone) part_[layer.main] = Part::Inner;
    if (layer.bias_add != kNone) part_[layer.bias_add] = Part::Float;
    // Engines fuse the eight nodes of a GELU into one, unless something is between them.
    if (layer.activation == LayerKind::GELU)
      for (const NodeId n : layer.nodes)
        if (n != layer.main && n != layer.norm && n != layer.bias_add) part_[n] = Part::Float;
    is_main_[layer.main] = true;
    placement_.int8[layer.main] = true;
  }

  // A node that only passes a tensor on gives floats, too, and so does the kernel before a Relu or
  // Clip that is absorbed by the rounding after it.
  void find_floats(const std::set<std::string, std::less<>>& names) {
    if (names.empty()) return;
    for (TensorId id = 0; id < graph_.tensors.size(); ++id)
      float_[id] = names.contains(graph_.tensors[id].name);
    for (NodeId n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      if (placement_.uses[n] != Int8Use::Passing || !float_[node.inputs[0]]) continue;
      for (const TensorId id : node.outputs)
        if (id != kNone) float_[id] = true;
    }
    for (NodeId n = static_cast<NodeId>(graph_.nodes.size()); n-- > 0;) {
      const Node& node = graph_.nodes[n];
      if (placement_.uses[n] == Int8Use::Absorbed && float_[node.outputs[0]] &&
          links_.only_reader(node.inputs[0]) == n)
        float_[node.inputs[0]] = true;
    }
  }

  // A convolution in int8 gives whole numbers; a product may give floats.
  bool reads_or_gives_floats(const QuantLayer& layer) const {
    return float_[layer.input] || (part_of_main(layer) == Part::Conv && float_[layer.linear]);
  }

  // An activation function in several nodes is one function, so its inner tensors stay in float. A
  // SiLU is an exception: ONNX Runtime has int8 kernels for both nodes, and with these
  // EfficientNet-B0 is 1.4 times as fast as in float, without them 0.9 times.
  void find_curves() {
    for (const Node& node : graph_.nodes) {
      if (node.outputs.size() != 1 || node.outputs[0] == kNone) continue;
      const ActivationNodes curve = activation_after(graph_, links_, node.outputs[0]);
      if (curve.nodes.size() > 1 && curve.kind != LayerKind::SiLU)
        for (const NodeId n : curve.nodes) placement_.uses[n] = Int8Use::Soft;
    }
  }

  // The least state among the node's data inputs.
  State least_input(const Node& node, Int8Use use) const {
    State least = State::Int8;
    bool any = false, int8 = false;
    const std::size_t count = use == Int8Use::Passing ? 1 : node.inputs.size();
    for (std::size_t i = 0; i < count && i < node.inputs.size(); ++i) {
      const TensorId id = node.inputs[i];
      if (id == kNone || constant_[id]) continue;
      any = true;
      int8 = int8 || state_[id] == State::Int8;
      least = std::min(least, state_[id]);
    }
    if (!any) return State::Float;
    // One branch in whole numbers is reason enough, if the other only lacks a kernel.
    if (least == State::Soft && int8 && use == Int8Use::Arithmetic) return State::Int8;
    return least;
  }

  void forward() {
    std::fill(absorbed_.begin(), absorbed_.end(), false);
    for (NodeId n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      const State state = state_after(n);
      for (const TensorId id : node.outputs)
        if (id != kNone) state_[id] = float_[id] ? State::Float : state;
      if (part_[n] == Part::None)
        placement_.int8[n] = state == State::Int8 && placement_.uses[n] != Int8Use::Soft;
    }
  }

  State state_after(NodeId n) {
    const Node& node = graph_.nodes[n];
    switch (part_[n]) {
      case Part::Kept:
        return State::Float;
      case Part::Conv:
      case Part::Inner:
        return State::Int8;
      case Part::Main:
        return demoted_[n] ? State::Soft : State::Int8;
      case Part::Float:
        return State::Soft;
      case Part::None:
        break;
    }
    const Int8Use use = placement_.uses[n];
    if (use == Int8Use::None || gives_any(n, float_)) return State::Float;
    const State least = least_input(node, use);
    if (least != State::Int8) return least;
    if (use == Int8Use::Soft || demoted_[n]) return State::Soft;
    if (use != Int8Use::Absorbed) return State::Int8;
    if (!can_absorb(n, node.inputs[0])) return State::Soft;
    absorbed_[node.inputs[0]] = true;
    return State::Int8;
  }

  // A Relu or Clip after a convolution in int8, which gives whole numbers anyway: it is better to
  // round after the Relu or Clip, whatever reads it.
  bool ends_kernel(NodeId n) const {
    if (placement_.uses[n] != Int8Use::Absorbed) return false;
    const TensorId id = graph_.nodes[n].inputs[0];
    return can_absorb(n, id) && part_[graph_.tensors[id].producer] == Part::Conv;
  }

  // The tensor before the clipping must have no other reader, and must be the output of a kernel.
  bool can_absorb(NodeId reader, TensorId id) const {
    const NodeId producer = graph_.tensors[id].producer;
    if (producer == kNone || links_.only_reader(id) != reader) return false;
    return part_[producer] == Part::Conv || part_[producer] == Part::Main ||
           (part_[producer] == Part::None && placement_.uses[producer] == Int8Use::Arithmetic);
  }

  // Tensors from which whole numbers reach a layer that computes in them; `through_floats` says
  // whether operators that run in float may be in between.
  std::vector<bool> find_wanted(bool through_floats) const {
    std::vector<bool> wanted(graph_.tensors.size(), false);
    for (NodeId n = static_cast<NodeId>(graph_.nodes.size()); n-- > 0;) {
      const Node& node = graph_.nodes[n];
      if (is_main_[n]) {
        wanted[node.inputs[0]] = true;
        continue;
      }
      const bool passes_on = part_[n] == Part::None && placement_.uses[n] != Int8Use::None &&
                             state_given_by(n) >= (through_floats ? State::Soft : State::Int8) &&
                             gives_any(n, wanted);
      if (!passes_on) continue;
      for (const TensorId id : node.inputs)
        if (id != kNone && !constant_[id]) wanted[id] = true;
    }
    return wanted;
  }
  State state_given_by(NodeId n) const {
    const Node& node = graph_.nodes[n];
    return node.outputs.empty() || node.outputs[0] == kNone ? State::Float
                                                            : state_[node.outputs[0]];
  }
  bool gives_any(NodeId n, const std::vector<bool>& of) const {
    const Node& node = graph_.nodes[n];
    return std::any_of(node.outputs.begin(), node.outputs.end(),
                       [&](TensorId id) { return id != kNone && of[id]; });
  }

  void find_places() {
    for (TensorId id = 0; id < graph_.tensors.size(); ++id) {
      const Tensor& tensor = graph_.tensors[id];
      const NodeId producer = tensor.producer;
      placement_.root[id] = id;
      if (constant_[id] || tensor.role == Role::Captured) continue;
      const auto readers = links_.readers(id);
      const bool is_read = std::any_of(readers.begin(), readers.end(), [&](const Reader& reader) {
        return placement_.reads_int8(reader);
      });
      if (producer != kNone && part_[producer] == Part::Inner) continue;
      const bool made = producer != kNone && state_[id] == State::Int8;
      if (made && !absorbed_[id])
        placement_.where[id] = Where::AtProducer;
      else if (is_read)
        placement_.where[id] = Where::AtReaders;
    }
    for (NodeId n = 0; n < graph_.nodes.size(); ++n)
      if (placement_.int8[n] && part_[n] == Part::None && placement_.uses[n] == Int8Use::Passing)
        for (const TensorId id : graph_.nodes[n].outputs)
          if (id != kNone) placement_.root[id] = placement_.root[graph_.nodes[n].inputs[0]];
  }

  const Graph& graph_;
  const Links& links_;
  std::vector<bool> constant_;
  std::vector<Part> part_;
  std::vector<bool> is_main_;  // main node of a layer in int8
  std::vector<bool> demoted_;
  std::vector<State> state_;
  std::vector<bool> absorbed_;
  std::vector<bool> float_;  // by tensor: must not become whole numbers
  Placement placement_;
};

}  // namespace

Range clip_bounds(const Graph& graph, const Node& node) {
  const Clamp& clamp = traits_of(node).clamp;
  const NodeView view(graph, node);
  const auto bound = [&](std::uint8_t slot, std::string_view name, float otherwise) {
    if (slot != kNoInput && view.has(slot))
      return static_cast<float>(stored_number(graph, node.inputs[slot]).value_or(otherwise));
    return name.empty() ? otherwise : static_cast<float>(view.real(name, otherwise));
  };
  return {bound(clamp.low_input, clamp.low_attribute, clamp.low),
          bound(clamp.high_input, clamp.high_attribute, clamp.high)};
}

const Range* range_of(const Graph& graph, const Placement& placement, const TensorRanges& ranges,
                      TensorId id) {
  while (true) {
    const auto found = ranges.find(graph.tensors[id].name);
    if (found != ranges.end()) return &found->second;
    const NodeId producer = graph.tensors[id].producer;
    if (producer == kNone || placement.uses[producer] != Int8Use::Passing) return nullptr;
    id = graph.nodes[producer].inputs[0];
  }
}

Result<Quantization> activation_numbers(const Graph& graph, const Placement& placement,
                                        const TensorRanges& ranges, TensorId id) {
  const Range* range = range_of(graph, placement, ranges, id);
  if (range == nullptr)
    return failure(Code::RangesLackPart,
                   {.name = "the tensor " + in_quotes(graph.tensors[id].name)});
  std::optional<Range> bounds;
  if (const NodeId producer = graph.tensors[id].producer;
      producer != kNone && placement.uses[producer] == Int8Use::Absorbed)
    bounds = clip_bounds(graph, graph.nodes[producer]);
  return activation_numbers(*range, bounds);
}

std::vector<TensorId> Placement::roots() const {
  std::vector<bool> seen(where.size(), false);
  std::vector<TensorId> found;
  for (TensorId id = 0; id < where.size(); ++id)
    if (where[id] != Where::Nowhere && !seen[root[id]]) {
      seen[root[id]] = true;
      found.push_back(root[id]);
    }
  return found;
}

Placement place_int8(const Model& model, const Links& links, const std::vector<QuantLayer>& layers,
                     const StaysFloat& floats) {
  return Placer(model, links, layers, floats).place();
}

}  // namespace strata
