#include "quant/rounded.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "quant/edit.h"
#include "quant/fold.h"
#include "quant/quantize_values.h"
#include "quant/raise_opset.h"
#include "read/in_quotes.h"

namespace strata {

namespace {

constexpr int kOpset = 13;  // Clip with tensors, Q/DQ

class Rounder {
 public:
  Rounder(const Model& model, const TensorRanges& ranges, const Rounding& rounding,
          const FillElements& fill)
      : model_(model), ranges_(ranges), rounding_(rounding), fill_(fill), edit_(model) {}

  Status begin() { return raise_opset(edit_, kOpset); }
  Status add(const QuantLayer& layer);
  Model finish() { return std::move(edit_).finish(); }

 private:
  Status round_weights(const QuantLayer& layer);
  Result<Quantization> numbers(TensorId id) const;
  // Inserted after `node`, or before it: the tensor that comes back from whole numbers is
  // `back`, or a new one.
  TensorId add_pair(TensorId exact, const Quantization& q, NodeId node, bool after, TensorId back);

  const Model& model_;
  const TensorRanges& ranges_;
  const Rounding& rounding_;
  const FillElements& fill_;
  GraphEdit edit_;
};

Result<Quantization> Rounder::numbers(TensorId id) const {
  const std::string_view name = model_.graph().tensors[id].name;
  const auto range = ranges_.find(name);
  if (range == ranges_.end())
    return failure(
        fmt::format("the ranges lack the tensor {}; make them for this model with "
                    "`strata calibrate`",
                    in_quotes(name)));
  return quantization(range->second,
                      {.bits = rounding_.activation_bits, .symmetric = false, .is_signed = false});
}

TensorId Rounder::add_pair(TensorId exact, const Quantization& q, NodeId node, bool after,
                           TensorId back) {
  const TypeInfo type = edit_.tensor(exact).type;
  TypeInfo whole = type;
  whole.dtype = DType::U8;
  const std::string name(edit_.tensor(back == kNone ? exact : back).name);
  const auto zero = static_cast<std::uint8_t>(q.zero_point);
  const TensorId scale =
      edit_.add_stored(name + "_scale", DType::F32, {}, std::span<const float>(&q.scale, 1));
  const TensorId zero_point = edit_.add_stored(name + "_zero_point", DType::U8, {},
                                               std::span<const std::uint8_t>(&zero, 1));
  const ScopeId scope = edit_.node(node).scope;
  const auto put = [&](std::string_view op, std::span<const TensorId> inputs, TensorId output) {
    const std::string node_name = fmt::format("{}_{}", name, op);
    const GraphEdit::NewNode what{
        .op = op, .name = node_name, .inputs = inputs, .output = output, .scope = scope};
    after ? edit_.insert_after(node, what) : edit_.insert_before(node, what);
  };
  if (q.bits < 8) {  // whole numbers of fewer bits end earlier than those of their type
    const float most = static_cast<float>(q.highest() - q.zero_point) * q.scale;
    const TensorId high =
        edit_.add_stored(name + "_most", DType::F32, {}, std::span<const float>(&most, 1));
    const TensorId cut = edit_.add_activation(name + "_cut", type);
    const TensorId inputs[] = {exact, kNone, high};
    put("Clip", inputs, cut);
    exact = cut;
  }
  const TensorId number = edit_.add_activation(name + "_quantized", whole);
  if (back == kNone) back = edit_.add_activation(name + "_dequantized", type);
  const TensorId in[] = {exact, scale, zero_point}, out[] = {number, scale, zero_point};
  put("QuantizeLinear", in, number);
  put("DequantizeLinear", out, back);
  return back;
}

Status Rounder::round_weights(const QuantLayer& layer) {
  const Node& node = edit_.node(layer.main);
  const bool foldable = layer.norm != kNone && node.op != "MatMul";
  QuantLayer own = layer;
  if (!foldable) own.norm = kNone;
  auto weights = layer_weights(model_, own, fill_);
  if (!weights) return tl::unexpected(weights.error());
  auto whole = quantized_weights(*weights, own, rounding_.weight_bits, rounding_.choice, 0);
  if (!whole) return failure(fmt::format("{}: {}", layer.path, whole.error().message));
  const std::string name = node.name.empty() ? layer.path : std::string(node.name);
  edit_.set_input(layer.main, 1,
                  edit_.add_stored(name + "_rounded", DType::F32, weights->dims,
                                   std::span<const float>(whole->restored)));
  if (!foldable) return {};
  const std::int64_t channels[] = {static_cast<std::int64_t>(weights->bias.size())};
  edit_.set_input(layer.main, 2,
                  edit_.add_stored(name + "_folded_bias", DType::F32, channels,
                                   std::span<const float>(weights->bias)));
  take_out_norm(edit_, layer);
  return {};
}

Status Rounder::add(const QuantLayer& layer) {
  if (rounding_.weights)
    if (auto status = round_weights(layer); !status) return status;
  if (!rounding_.activations) return {};
  if (layer.first) {
    auto q = numbers(layer.input);
    if (!q) return tl::unexpected(q.error());
    edit_.set_input(layer.main, 0, add_pair(layer.input, *q, layer.main, false, kNone));
  }
  auto q = numbers(layer.output);
  if (!q) return tl::unexpected(q.error());
  // What reads the output keeps reading it: the exact one gets another name. The node that
  // makes it may be another than in the original, whose norm is gone.
  NodeId maker = kNone;
  for (const NodeId n : layer.nodes) {
    const auto outputs = edit_.node(n).outputs;
    if (std::find(outputs.begin(), outputs.end(), layer.output) == outputs.end()) continue;
    if (rounding_.weights && n == layer.norm && edit_.node(layer.main).op != "MatMul") continue;
    maker = n;
  }
  if (maker == kNone)
    return failure(fmt::format("{}: nothing makes its output", layer.path), ErrorKind::Bug);
  const auto outputs = edit_.node(maker).outputs;
  const auto slot = std::find(outputs.begin(), outputs.end(), layer.output) - outputs.begin();
  const std::string name(edit_.tensor(layer.output).name);
  const TensorId exact = edit_.add_activation(name + "_exact", edit_.tensor(layer.output).type);
  edit_.set_output(maker, static_cast<std::size_t>(slot), exact);
  add_pair(exact, *q, maker, true, layer.output);
  return {};
}

}  // namespace

Result<Model> with_rounded_layers(const Model& model, const std::vector<QuantLayer>& layers,
                                  const std::vector<bool>& rounded, const TensorRanges& ranges,
                                  const Rounding& rounding, const FillElements& fill) {
  Rounder rounder(model, ranges, rounding, fill);
  if (auto status = rounder.begin(); !status) return tl::unexpected(status.error());
  for (std::size_t l = 0; l < layers.size(); ++l)
    if (rounded[l])
      if (auto status = rounder.add(layers[l]); !status) return tl::unexpected(status.error());
  return rounder.finish();
}

std::vector<TensorId> rounded_tensors(const std::vector<QuantLayer>& layers) {
  std::set<TensorId> ids;
  for (const QuantLayer& layer : layers) {
    ids.insert(layer.output);
    if (layer.first) ids.insert(layer.input);
  }
  return {ids.begin(), ids.end()};
}

}  // namespace strata
