#include "sensitivity/rounded.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "edit/edit.h"
#include "edit/fold.h"
#include "edit/quantize_values.h"
#include "edit/raise_opset.h"
#include "ops/registry.h"

namespace strata {

namespace {

constexpr int kOpset = 13;  // Clip with tensors, Q/DQ

class Rounder {
 public:
  Rounder(const Model& model, const TensorRanges& ranges, const Rounding& rounding,
          const FillElements& fill)
      : model_(model), ranges_(ranges), rounding_(rounding), fill_(fill), edit_(model) {
    for (const Tensor& tensor : model.graph().tensors) makers_.push_back(tensor.producer);
  }

  Status begin() { return raise_opset(edit_, kOpset); }
  Status add(const QuantLayer& layer);
  // If the scale of its input is given, the bias becomes whole numbers, too, as in an int8 file.
  Status round_weights(const QuantLayer& layer, double input_scale = 0);
  Status round_tensor(const Links& links, const Placement& placement, TensorId id);
  Model finish() { return std::move(edit_).finish(); }

 private:
  Result<Quantization> numbers(TensorId id) const;
  void round_output(TensorId id, const Quantization& q);
  // Inserts a pair after `node` or before it; the dequantized tensor is `back`, or a new one.
  TensorId add_pair(TensorId exact, const Quantization& q, NodeId node, bool after, TensorId back);

  const Model& model_;
  const TensorRanges& ranges_;
  const Rounding& rounding_;
  const FillElements& fill_;
  GraphEdit edit_;
  std::vector<NodeId> makers_;  // by tensor; differs from the original if a norm was removed
};

Result<Quantization> Rounder::numbers(TensorId id) const {
  const std::string_view name = model_.graph().tensors[id].name;
  const auto range = ranges_.find(name);
  if (range == ranges_.end())
    return failure(Code::RangesLackPart, {.name = "the tensor " + in_quotes(name)});
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
  const ScopeId scope = node == kNone ? 0 : edit_.node(node).scope;
  const auto put = [&](std::string_view op, std::span<const TensorId> inputs, TensorId output) {
    const std::string node_name = fmt::format("{}_{}", name, op);
    const GraphEdit::NewNode what{
        .op = op, .name = node_name, .inputs = inputs, .output = output, .scope = scope};
    after ? edit_.insert_after(node, what) : edit_.insert_before(node, what);
  };
  if (q.bits < 8) {  // numbers of fewer bits have narrower limits than their type
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

Status Rounder::round_weights(const QuantLayer& layer, double input_scale) {
  const Node& node = edit_.node(layer.main);
  const bool foldable = layer.norm != kNone && traits_of(node).product != Product::MatMul;
  QuantLayer own = layer;
  if (!foldable) own.norm = kNone;
  auto weights = layer_weights(model_, own, fill_);
  if (!weights) return failure(weights);
  auto whole =
      quantized_weights(*weights, own, rounding_.weight_bits, rounding_.choice, input_scale);
  if (!whole) return failure_in(layer.path, whole);
  const std::string name = node.name.empty() ? layer.path : std::string(node.name);
  edit_.set_input(layer.main, 1,
                  edit_.add_stored(name + "_rounded", DType::F32, weights->dims,
                                   std::span<const float>(whole->restored)));
  for (std::size_t c = 0; c < whole->bias.size(); ++c)
    weights->bias[c] = static_cast<float>(whole->bias[c]) * whole->bias_scales[c];
  if (foldable || !whole->bias.empty()) {
    const std::int64_t channels[] = {static_cast<std::int64_t>(weights->bias.size())};
    const TensorId bias = edit_.add_stored(name + "_new_bias", DType::F32, channels,
                                           std::span<const float>(weights->bias));
    if (layer.bias_add == kNone)
      edit_.set_input(layer.main, 2, bias);
    else
      edit_.set_input(layer.bias_add, edit_.node(layer.bias_add).inputs[0] == layer.bias ? 0 : 1,
                      bias);
  }
  if (!foldable) return {};
  take_out_norm(edit_, layer);
  makers_[layer.linear] = layer.main;
  return {};
}

// Its readers keep reading the same tensor: the exact one gets another name.
void Rounder::round_output(TensorId id, const Quantization& q) {
  const NodeId maker = makers_[id];
  const auto outputs = edit_.node(maker).outputs;
  const auto slot = std::find(outputs.begin(), outputs.end(), id) - outputs.begin();
  const TensorId exact =
      edit_.add_activation(std::string(edit_.tensor(id).name) + "_exact", edit_.tensor(id).type);
  edit_.set_output(maker, static_cast<std::size_t>(slot), exact);
  add_pair(exact, q, maker, true, id);
}

// Uses exactly the numbers that the file has.
Status Rounder::round_tensor(const Links& links, const Placement& placement, TensorId id) {
  const auto q = rounding_.activation_bits == 8
                     ? activation_numbers(model_.graph(), placement, ranges_, id)
                     : numbers(id);
  if (!q) return failure(q);
  if (placement.where[id] == Where::AtProducer) {
    round_output(id, *q);
    return {};
  }
  const TensorId back = add_pair(id, *q, makers_[id], true, kNone);
  for (const Reader& reader : links.readers(id))
    if (placement.reads_int8(reader)) edit_.set_input(reader.node, reader.slot, back);
  return {};
}

Status Rounder::add(const QuantLayer& layer) {
  if (rounding_.weights)
    if (auto status = round_weights(layer); !status) return status;
  if (!rounding_.activations) return {};
  if (layer.first) {
    auto q = numbers(layer.input);
    if (!q) return failure(q);
    edit_.set_input(layer.main, 0, add_pair(layer.input, *q, layer.main, false, kNone));
  }
  auto q = numbers(layer.output);
  if (!q) return failure(q);
  if (makers_[layer.output] == kNone)
    return failure(fmt::format("{}: nothing makes its output", layer.path), ErrorKind::Bug);
  round_output(layer.output, *q);
  return {};
}

}  // namespace

Result<Model> with_rounded_layers(const Model& model, const std::vector<QuantLayer>& layers,
                                  const std::vector<bool>& rounded, const TensorRanges& ranges,
                                  const Rounding& rounding, const FillElements& fill) {
  Rounder rounder(model, ranges, rounding, fill);
  if (auto status = rounder.begin(); !status) return failure(status);
  for (std::size_t l = 0; l < layers.size(); ++l)
    if (rounded[l])
      if (auto status = rounder.add(layers[l]); !status) return failure(status);
  return rounder.finish();
}

RoundedParts all_parts(const std::vector<QuantLayer>& layers, const Placement& placement) {
  RoundedParts all;
  for (const QuantLayer& layer : layers) all.weights.push_back(placement.int8[layer.main]);
  all.tensors = placement.roots();
  return all;
}

Result<Model> with_rounded_parts(const Model& model, const Links& links,
                                 const std::vector<QuantLayer>& layers, const Placement& placement,
                                 const RoundedParts& parts, const TensorRanges& ranges,
                                 const Rounding& rounding, const FillElements& fill) {
  Rounder rounder(model, ranges, rounding, fill);
  if (auto status = rounder.begin(); !status) return failure(status);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    if (!rounding.weights || !parts.weights[l]) continue;
    double scale = 0;
    if (rounding.activations && rounding.activation_bits == 8) {
      const auto input =
          activation_numbers(model.graph(), placement, ranges, placement.root[layers[l].input]);
      if (!input) return failure(input);
      scale = input->scale;
    }
    if (auto status = rounder.round_weights(layers[l], scale); !status) return failure(status);
  }
  if (rounding.activations)
    for (const TensorId id : parts.tensors)
      if (auto status = rounder.round_tensor(links, placement, id); !status) return failure(status);
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
