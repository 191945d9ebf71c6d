#include "cost/layer_facts.h"

#include <algorithm>

#include "cost/einsum_facts.h"
#include "cost/linear_node.h"
#include "cost/torch_view.h"
#include "cost/weights.h"
#include "ops/node_view.h"
#include "ops/registry.h"
#include "ops/serving.h"
#include "ops/sizes.h"
#include "ops/tflite_table.h"

namespace strata {

const std::array<FactName, kFacts> kFactNames = {{
    {"N", "batch: the first axis of the input"},
    {"I", "elements of the input, per sample"},
    {"O", "elements of the output, per sample"},
    {"n", "elements of the input, N·I"},
    {"n_out", "elements of the output, N·O"},
    {"rows", "elements of the output over the size of its last axis"},
    {"rank", "number of axes of the input"},
    {"contiguous", "1 if PyTorch keeps the elements of the input in order in memory, else 0"},
    {"K", "inputs that make one output: channels of a group × window"},
    {"k", "window: the product of its sides"},
    {"k_int", "window as one integer: its side where all sides are equal, else k"},
    {"b", "1 with a bias, else 0"},
    {"affine", "1 if a norm has weights, else 0"},
    {"permutes", "1 if the module also moves axes, as LayerNorm2d does, else 0"},
    {"params", "learned parameters that it reads"},
    {"groups", "groups of a convolution"},
    {"Ci", "input channels"},
    {"Co", "output channels"},
    {"P", "output positions: the product of the spatial sizes"},
    {"Pi", "input positions"},
    {"Fi", "input features of a linear layer"},
    {"Fo", "output features of a linear layer"},
    {"inner", "the size that two multiplied matrices have in common"},
    {"f", "size of the axis that a softmax normalizes"},
    {"products", "MACs of an attention without weights: queries with keys, scores with values"},
    {"scores", "elements that an attention's softmax normalizes"},
    {"projected", "elements that an attention's input projections return"},
    {"attended", "elements of an attention's product of scores and values"},
    {"operands", "number of inputs of an einsum"},
    {"indices", "product of the sizes of an einsum's indices"},
    {"ellipsis", "1 if an einsum's equation has an ellipsis, else 0"},
    {"batched", "1 if an einsum is abc,abd→acd or abc,adc→adb, whatever the letters, else 0"},
    {"nearest", "1 if it resizes to the nearest element, else 0"},
    {"linear", "1 if it resizes linearly, along however many axes, else 0"},
    {"cubic", "1 if it resizes cubically, else 0"},
    {"steps", "steps of a recurrent layer"},
    {"H", "hidden size of a recurrent layer"},
    {"D", "directions of a recurrent layer, 1 or 2, times the layers in one operator"},
    {"gates", "1 for RNN, 3 for GRU, 4 for LSTM"},
    {"W", "weights of a recurrent layer that the input meets"},
    {"R", "weights of a recurrent layer that the hidden state meets"},
    {"B", "biases of a recurrent layer"},
    {"macs", "multiply-accumulates as strata counts them"},
    {"flops", "operations as strata counts them"},
    {"served_macs", "multiply-accumulates that an engine that serves a language model computes"},
    {"served_flops", "operations of them, and of what belongs to them"},
}};

const std::array<FactName, kAxisFacts> kAxisFactNames = {{
    {"in", "input size"},
    {"out", "output size"},
    {"kernel", "side of the window"},
    {"stride", "step of the window"},
    {"pad", "padding, both ends together"},
    {"dilation", "distance of the window's elements"},
}};

namespace {

template <std::size_t n>
std::array<std::string_view, n> only_names(const std::array<FactName, n>& facts) {
  std::array<std::string_view, n> names;
  std::transform(facts.begin(), facts.end(), names.begin(),
                 [](const FactName& f) { return f.name; });
  return names;
}

bool is_pool(LayerKind kind) {
  return kind == LayerKind::MaxPool || kind == LayerKind::AvgPool ||
         kind == LayerKind::AdaptiveAvgPool || kind == LayerKind::AdaptiveMaxPool;
}

bool is_conv(LayerKind kind) { return kind == LayerKind::Conv || kind == LayerKind::ConvTranspose; }

// For a norm without weights, the exporter writes ones and zeros as Constants, while its statistics
// are stored as in any network.
bool is_plain_norm(const Graph& graph, const Node& node) {
  const std::uint8_t mean = traits_of(node).norm.mean;
  return mean != kNoInput && mean < node.inputs.size() &&
         !weight_of(graph, node.inputs[mean]).from_constant;
}

Expr size_along(const Dims& dims, std::int64_t axis) {
  if (axis < 0) axis += static_cast<std::int64_t>(dims.size());
  if (axis < 0 || axis >= static_cast<std::int64_t>(dims.size())) return Expr::unknown();
  return dims[static_cast<std::size_t>(axis)];
}

// An only item stands for all axes.
Expr item(std::span<const std::int64_t> list, std::size_t i, std::int64_t otherwise) {
  if (list.size() == 1) return list[0];
  return i < list.size() ? list[i] : otherwise;
}

Expr at_end(std::span<const std::int64_t> pads, std::size_t i) {
  return i < pads.size() ? pads[i] : 0;
}

// A pool that is told the size of its output; a global one has an output of 1.
Expr window_of_adaptive(const Expr& in, const Expr& out) {
  if (out.is(1)) return in;
  const bool divides = out.is_number() && out.value() > 0;
  return divides ? floor_div(in, out) : Expr::unknown();
}

}  // namespace

FormulaNames layer_formula_names() {
  static const auto kPlain = only_names(kFactNames);
  static const auto kAlongAxis = only_names(kAxisFactNames);
  return {kPlain, kAlongAxis};
}

LayerFacts::LayerFacts(const Costs& costs, LayerKind kind, std::uint32_t main_index,
                       std::span<const std::uint32_t> members) {
  const Executed& main = costs.nodes[main_index];
  const Graph& graph = *main.graph;
  const Node& node = main.get();
  plain_.fill(Amount::unknown());
  times_ = main.times;
  find_ends(costs, main, members);
  find_sizes();
  find_parameters(costs, kind, members);
  if (is_conv(kind) || is_pool(kind) || kind == LayerKind::Upsample) find_axes(graph, node, kind);
  if (is_conv(kind) || kind == LayerKind::Linear || kind == LayerKind::MatMul)
    find_weights(graph, node, kind);
  if (kind == LayerKind::Recurrent) find_recurrent(graph, node);
  if (kind == LayerKind::Attention) find_attention(costs, members);
  if (kind == LayerKind::Softmax) {
    const NodeView view(graph, node);
    // Up to opset 12 of ONNX, it normalizes all axes from `axis` on together.
    const std::int64_t axis = view.integer(Attr::Axis).value_or(-1);
    at(Fact::f) = size_along(view.dims(0), axis);
    if (node.domain.empty() && node.opset < 13 && axis >= 0)
      at(Fact::f) = product_from(view.in(0), static_cast<std::size_t>(axis));
  }
  if (kind == LayerKind::Upsample) {
    const std::string_view mode = NodeView(graph, node).text(Attr::Mode);
    at(Fact::nearest) = mode == "nearest" ? 1 : 0;
    at(Fact::linear) = mode == "linear" || mode == "bilinear" ? 1 : 0;
    at(Fact::cubic) = mode == "cubic" ? 1 : 0;
  }
  if (traits_of(node).op == Op::Einsum) {
    const EinsumFacts einsum = einsum_facts(NodeView(graph, node));
    at(Fact::operands) = static_cast<std::int64_t>(node.inputs.size());
    at(Fact::indices) = einsum.indices;
    at(Fact::ellipsis) = einsum.ellipsis ? 1 : 0;
    at(Fact::batched) = einsum.batched ? 1 : 0;
  }
  for (std::size_t i = 0; i < axes_.size(); ++i) axis_spans_[i] = axes_[i];
}

// A layer with several nodes reads what its first node reads and returns what its last node
// returns.
void LayerFacts::find_ends(const Costs& costs, const Executed& main,
                           std::span<const std::uint32_t> members) {
  const Executed* first = &main;
  const Executed* last = &main;
  if (members.size() > 1) {
    first = nullptr;
    for (std::uint32_t index : members) {
      const Executed& executed = costs.nodes[index];
      if (executed.cost->folded || executed.graph != main.graph) continue;
      if (first == nullptr) first = &executed;
      last = &executed;
    }
    if (first == nullptr) first = &main;
  }
  for (std::size_t i = 0; i < first->get().inputs.size(); ++i) {
    const TensorId id = first->get().inputs[i];
    // A bias is not an input of the layer, even if it is computed (put together from parts).
    if (id == kNone || i == traits_of(first->get()).bias) continue;
    if (weight_of(*first->graph, id).data != nullptr) continue;
    input_ = &*first->graph->tensors[id].type;
    break;
  }
  for (TensorId id : last->get().outputs) {
    if (id == kNone) continue;
    output_ = &*last->graph->tensors[id].type;
    break;
  }
  dtype_ = input_ != nullptr ? input_->dtype : DType::Undefined;
  if (dtype_ == DType::Undefined && output_ != nullptr) dtype_ = output_->dtype;
}

void LayerFacts::find_sizes() {
  if (input_ != nullptr && input_->ranked) {
    const Dims& dims = input_->dims;
    at(Fact::N) = dims.empty() ? Expr(1) : dims[0];
    at(Fact::I) = product_from(*input_, dims.empty() ? 0 : 1);
    at(Fact::n) = elements(dims);
    at(Fact::rank) = static_cast<std::int64_t>(dims.size());
    if (dims.size() >= 2) at(Fact::Ci) = dims[1];
    if (dims.size() >= 2) at(Fact::Pi) = product_from(*input_, 2);
  }
  if (output_ != nullptr && output_->ranked) {
    const Dims& dims = output_->dims;
    if (input_ == nullptr) at(Fact::N) = dims.empty() ? Expr(1) : dims[0];
    at(Fact::O) = product_from(*output_, dims.empty() ? 0 : 1);
    at(Fact::n_out) = elements(dims);
    at(Fact::rows) = product_of(*output_, 0, dims.empty() ? 0 : dims.size() - 1);
    if (dims.size() >= 2) at(Fact::Co) = dims[1];
    if (dims.size() >= 2) at(Fact::P) = product_from(*output_, 2);
  }
}

void LayerFacts::find_parameters(const Costs& costs, LayerKind kind,
                                 std::span<const std::uint32_t> members) {
  Expr params = 0, macs = 0, flops = 0, served_macs = 0, served_flops = 0;
  bool bias_added = false, permutes = false;
  InlineVector<std::uint64_t, 8> seen;
  for (std::uint32_t index : members) {
    const Executed& executed = costs.nodes[index];
    const Node& node = executed.get();
    if (executed.cost->folded) continue;
    macs += executed.cost->macs;
    flops += executed.cost->flops();
    const auto served = served_work(*executed.graph, node);
    served_macs += served ? served->macs : executed.cost->macs;
    served_flops += served ? served->flops : executed.cost->flops();
    const OpRule* rule = find_rule(node.domain, node.op, node.opset);
    bias_added = bias_added || (kind == LayerKind::Linear && adds_bias(*executed.graph, node));
    permutes = permutes || (rule != nullptr && rule->traits.op == Op::Transpose);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNone) continue;
      if (rule != nullptr && (has_bit(rule->settings, i) || has_bit(rule->buffers, i))) continue;
      const WeightRef weight = weight_of(*executed.graph, node.inputs[i]);
      if (weight.data == nullptr || !has_bit(executed.cost->learned, i)) continue;
      if (weight.data->learned == Learned::No) continue;
      if (weight.from_constant && is_plain_norm(*executed.graph, node)) continue;
      if (kind == LayerKind::Linear && rule != nullptr && rule->traits.op == Op::Add)
        bias_added = true;
      if (std::find(seen.begin(), seen.end(), weight.key) != seen.end()) continue;
      seen.push_back(weight.key);
      params += weight.data->elements();
    }
  }
  at(Fact::params) = params;
  at(Fact::macs) = macs;
  at(Fact::flops) = flops;
  at(Fact::served_macs) = served_macs;
  at(Fact::served_flops) = served_flops;
  at(Fact::affine) = params.is(0) ? 0 : 1;
  at(Fact::permutes) = permutes ? 1 : 0;
  if (kind == LayerKind::Linear) at(Fact::b) = bias_added ? 1 : 0;
}

void LayerFacts::find_axes(const Graph& graph, const Node& node, LayerKind kind) {
  if (input_ == nullptr || !input_->ranked || output_ == nullptr || !output_->ranked) return;
  const Dims& in = input_->dims;
  const Dims& out = output_->dims;
  if (in.size() < 3 || in.size() > 2 + kMaxAxes || out.size() != in.size()) return;
  const NodeView view(graph, node);
  const Traits& traits = traits_of(node);
  const std::size_t first = traits.channels_last ? 1 : 2;
  const auto kernel = view.integers(Attr::Kernel);
  const auto strides = view.integers(Attr::Strides);
  const auto dilations = view.integers(Attr::Dilations);
  const auto pads = view.integers(Attr::Pads);
  const auto padding = view.integers(Attr::Padding);
  const std::size_t count = in.size() - 2;
  const TypeInfo& weights = view.in(traits.weights);

  Expr window = 1, places = 1, input_places = 1;
  bool square = true;
  for (std::size_t i = 0; i < count; ++i) {
    Axis axis;
    const auto set = [&](AxisFact fact, Expr value) {
      axis[static_cast<std::size_t>(fact)] = std::move(value);
    };
    Expr side = 1;
    if (!kernel.empty())
      side = item(kernel, i, 1);
    else if (is_conv(kind))
      side = size_at(weights, 2 + i);
    else if (is_pool(kind))
      side = window_of_adaptive(in[first + i], out[first + i]);
    set(AxisFact::in, in[first + i]);
    set(AxisFact::out, out[first + i]);
    set(AxisFact::kernel, side);
    const bool steps_by_window = strides.empty() && is_pool(kind) && !padding.empty();
    set(AxisFact::stride, steps_by_window ? side : item(strides, i, 1));
    set(AxisFact::dilation, item(dilations, i, 1));
    const bool same_ends = !padding.empty();
    set(AxisFact::pad,
        same_ends ? item(padding, i, 0) * 2 : at_end(pads, i) + at_end(pads, count + i));
    square =
        square && (i == 0 || side == axes_[0][static_cast<std::size_t>(AxisFact::kernel)].above());
    window *= side;
    places *= out[first + i];
    input_places *= in[first + i];
    axes_.push_back(std::move(axis));
  }
  at(Fact::P) = places;
  at(Fact::Pi) = input_places;
  if (kind == LayerKind::Upsample) return;
  at(Fact::k) = window;
  at(Fact::k_int) = square ? axes_[0][static_cast<std::size_t>(AxisFact::kernel)] : Amount(window);
}

void LayerFacts::find_weights(const Graph& graph, const Node& node, LayerKind kind) {
  const NodeView view(graph, node);
  const Traits& traits = traits_of(node);
  const TypeInfo weights =
      node.domain == kTflite && is_conv(kind) ? tflite_conv_weights(view) : view.in(traits.weights);
  if (is_conv(kind)) {
    const std::int64_t group = std::max<std::int64_t>(1, view.integer(Attr::Groups).value_or(1));
    const bool transposed = kind == LayerKind::ConvTranspose;
    at(Fact::groups) = group;
    at(Fact::b) = view.has(traits.bias) ? 1 : 0;
    at(Fact::Ci) = transposed ? size_at(weights, 0) : size_at(weights, 1) * group;
    at(Fact::Co) = transposed ? size_at(weights, 1) * group : size_at(weights, 0);
    at(Fact::K) = Amount::ratio((*this)[Fact::Ci].above(), group) * product_from(weights, 2);
    return;
  }
  const bool transposed = view.integer(Attr::TransposeFirst).value_or(0) != 0;
  const Dims& a = view.dims(traits.data);
  if (view.has(traits.data))
    at(Fact::contiguous) = is_contiguous(graph, node.inputs[traits.data]) ? 1 : 0;
  at(Fact::inner) = size_along(a, transposed ? -2 : -1);
  if (kind != LayerKind::Linear) return;
  at(Fact::Fi) = (*this)[Fact::inner];
  at(Fact::Fo) = size_along(view.out(0).dims, -1);
  if (view.has(traits.bias)) at(Fact::b) = 1;
}

// In PyTorch, one node has the weights of all layers and directions, as matrices and vectors: those
// that the input meets, those that the state meets, and perhaps their biases.
void LayerFacts::find_listed_recurrent(const NodeView& view, std::size_t first) {
  Expr of_input = 0, of_state = 0, biases = 0;
  std::int64_t matrices = 0, vectors = 0;
  for (std::size_t i = first; i < view.input_count(); ++i) {
    if (view.rank(i) != 1) continue;
    biases += view.in_elements(i);
    ++vectors;
  }
  for (std::size_t i = first; i < view.input_count(); ++i) {
    // Where there are biases, each matrix has one; further matrices are states.
    if (view.rank(i) != 2 || (vectors > 0 && matrices == vectors)) continue;
    (matrices % 2 == 0 ? of_input : of_state) += view.in_elements(i);
    ++matrices;
  }
  at(Fact::D) = matrices / 2;
  at(Fact::H) = size_at(view.in(first + 1), 1);
  at(Fact::W) = of_input;
  at(Fact::R) = of_state;
  at(Fact::B) = biases;
  at(Fact::b) = biases.is(0) ? 0 : 1;
}

void LayerFacts::find_recurrent(const Graph& graph, const Node& node) {
  const NodeView view(graph, node);
  const bool batch_first = view.integer(Attr::BatchFirst).value_or(0) != 0;
  at(Fact::N) = size_at(view.in(0), batch_first ? 0 : 1);
  at(Fact::steps) = size_at(view.in(0), batch_first ? 1 : 0);
  at(Fact::gates) = std::int64_t{traits_of(node).gates};
  if (const std::uint8_t listed = traits_of(node).weights; listed != kNoInput)
    return find_listed_recurrent(view, listed);
  at(Fact::D) = size_at(view.in(1), 0);
  at(Fact::H) = size_at(view.in(2), 2);
  at(Fact::W) = view.in_elements(1);
  at(Fact::R) = view.in_elements(2);
  at(Fact::b) = view.has(3) ? 1 : 0;
  at(Fact::B) = view.has(3) ? view.in_elements(3) : Expr(0);
}

// Products with weights before the softmax make queries, keys and values.
void LayerFacts::find_attention(const Costs& costs, std::span<const std::uint32_t> members) {
  Expr products = 0, scores = 0, projected = 0, attended = 0;
  bool has_bias = false;
  for (std::uint32_t index : members) {
    const Executed& executed = costs.nodes[index];
    if (executed.cost->folded) continue;
    const NodeView view(*executed.graph, executed.get());
    if (traits_of(executed.get()).op == Op::Softmax) scores += view.in_elements(0);
    if (traits_of(executed.get()).op == Op::Attention && view.rank(0) == 4)
      scores += product_of(view.in(0), 0, 3) * size_at(view.in(1), 2);
    if (executed.cost->macs.is(0)) continue;
    if (counted_kind(*executed.graph, executed.get()) != LayerKind::Linear) {
      products += executed.cost->macs;
      attended = view.out_elements(0);
    } else if (scores.is(0)) {
      projected += view.out_elements(0);
      has_bias =
          has_bias || bias_of(costs, index) != kNone || view.has(traits_of(executed.get()).bias);
    }
  }
  at(Fact::products) = products;
  at(Fact::scores) = scores;
  at(Fact::projected) = projected;
  at(Fact::attended) = attended;
  at(Fact::b) = has_bias ? 1 : 0;
}

}  // namespace strata
