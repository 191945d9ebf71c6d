#include "edit/fold.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "edit/following.h"
#include "edit/read_floats.h"
#include "ops/node_view.h"
#include "ops/registry.h"

namespace strata {

namespace {

Result<std::vector<float>> floats_of(const Model& model, const QuantLayer& layer, TensorId id,
                                     const FillElements& fill) {
  const auto stored = stored_input(model.graph(), id);
  auto floats = read_floats(model, *stored->data, fill);
  if (!floats) return floats;
  const bool finite =
      std::all_of(floats->begin(), floats->end(), [](float x) { return std::isfinite(x); });
  if (!finite)
    return failure(
        fmt::format("{}: the stored tensor {} has elements that are not finite; it "
                    "cannot be quantized",
                    layer.path, in_quotes(stored->data->name)));
  return floats;
}

std::vector<float> turned(const std::vector<float>& matrix, std::size_t rows, std::size_t columns) {
  std::vector<float> out(matrix.size());
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) out[c * rows + r] = matrix[r * columns + c];
  return out;
}

// y = (x - mean) · factor + shift, for each output channel.
struct Affine {
  std::vector<double> factor, mean, shift;
};

Result<Affine> affine_of(const Model& model, const QuantLayer& layer, const FillElements& fill) {
  const Node& norm = model.graph().nodes[layer.norm];
  if (traits_of(norm).op == Op::Add) {
    const TensorId x = model.graph().nodes[layer.main].outputs[0];
    auto shift = floats_of(model, layer, stored_addend(model.graph(), norm, x), fill);
    if (!shift) return failure(shift);
    Affine affine;
    affine.factor.assign(shift->size(), 1);
    affine.mean.assign(shift->size(), 0);
    affine.shift.assign(shift->begin(), shift->end());
    return affine;
  }
  std::vector<float> parts[4];  // scale, shift, mean, variance
  for (std::size_t i = 0; i < 4; ++i) {
    auto floats = floats_of(model, layer, norm.inputs[i + 1], fill);
    if (!floats) return failure(floats);
    parts[i] = std::move(*floats);
  }
  const double epsilon = NodeView(model.graph(), norm).real(Attr::Epsilon).value_or(1e-5F);
  Affine affine;
  for (std::size_t c = 0; c < parts[0].size(); ++c) {
    const double variance = static_cast<double>(parts[3][c]) + epsilon;
    if (!(variance > 0))
      return failure(fmt::format("{}: the norm {} has a variance of {} for channel {}", layer.path,
                                 in_quotes(norm.name), parts[3][c], c));
    affine.factor.push_back(parts[0][c] / std::sqrt(variance));
    affine.mean.push_back(parts[2][c]);
    affine.shift.push_back(parts[1][c]);
  }
  return affine;
}

// The output channel of an element of a weight with `inner` elements after the axis.
std::size_t channel_at(const QuantLayer& layer, const LayerWeights& weights, std::size_t element,
                       std::size_t channels) {
  std::size_t inner = 1;
  const auto axis = static_cast<std::size_t>(layer.weight_axis);
  for (std::size_t i = axis + 1; i < weights.dims.size(); ++i)
    inner *= static_cast<std::size_t>(weights.dims[i]);
  const auto on_axis = static_cast<std::size_t>(weights.dims[axis]);
  const std::size_t channel = element / inner % on_axis;
  if (layer.kind != LayerKind::ConvTranspose || layer.groups == 1) return channel;
  // The inputs of a group are rows, and only the group's own outputs are on the axis.
  const std::size_t row = element / inner / on_axis;
  const std::size_t rows =
      static_cast<std::size_t>(weights.dims[0]) / static_cast<std::size_t>(layer.groups);
  return std::min(row / rows * on_axis + channel, channels - 1);
}

Status fold_in(const QuantLayer& layer, const Affine& affine, LayerWeights& weights) {
  const std::size_t channels = affine.factor.size();
  const auto expected =
      static_cast<std::size_t>(weights.dims[static_cast<std::size_t>(layer.weight_axis)] *
                               (layer.kind == LayerKind::ConvTranspose ? layer.groups : 1));
  if (channels != expected || (!weights.bias.empty() && weights.bias.size() != channels))
    return failure(fmt::format("{}: its norm has {} channels, but it gives {}", layer.path,
                               channels, expected));
  for (std::size_t i = 0; i < weights.weight.size(); ++i)
    weights.weight[i] = static_cast<float>(weights.weight[i] *
                                           affine.factor[channel_at(layer, weights, i, channels)]);
  weights.bias.resize(channels, 0);
  for (std::size_t c = 0; c < channels; ++c)
    weights.bias[c] =
        static_cast<float>((weights.bias[c] - affine.mean[c]) * affine.factor[c] + affine.shift[c]);
  return {};
}

}  // namespace

Result<LayerWeights> layer_weights(const Model& model, const QuantLayer& layer,
                                   const FillElements& fill) {
  LayerWeights weights;
  const auto stored = stored_input(model.graph(), layer.weight);
  auto floats = floats_of(model, layer, layer.weight, fill);
  if (!floats) return failure(floats);
  weights.weight = std::move(*floats);
  weights.dims.assign(stored->data->dims.begin(), stored->data->dims.end());
  if (stored->transposed) {
    weights.weight = turned(weights.weight, static_cast<std::size_t>(weights.dims[0]),
                            static_cast<std::size_t>(weights.dims[1]));
    std::swap(weights.dims[0], weights.dims[1]);
  }
  if (layer.bias != kNone) {
    auto bias = floats_of(model, layer, layer.bias, fill);
    if (!bias) return failure(bias);
    weights.bias = std::move(*bias);
  }
  if (layer.norm == kNone) return weights;
  const auto affine = affine_of(model, layer, fill);
  if (!affine) return failure(affine);
  if (auto status = fold_in(layer, *affine, weights); !status) return failure(status);
  return weights;
}

void take_out_norm(GraphEdit& edit, const QuantLayer& layer) {
  const NodeId before = layer.bias_add != kNone ? layer.bias_add : layer.main;
  edit.set_output(before, 0, edit.node(layer.norm).outputs[0]);
  edit.remove(layer.norm);
}

Result<Model> with_folded_norms(const Model& model, const FillElements& fill) {
  GraphEdit edit(model);
  for (const QuantLayer& layer : find_quant_layers(model)) {
    if (layer.norm == kNone || layer.bias_add != kNone) continue;
    const auto weights = layer_weights(model, layer, fill);
    if (!weights) return failure(weights);
    const std::string name(edit.node(layer.main).name.empty() ? layer.path
                                                              : edit.node(layer.main).name);
    const std::int64_t channels[] = {static_cast<std::int64_t>(weights->bias.size())};
    edit.set_input(layer.main, 1,
                   edit.add_stored(name + "_folded_weight", DType::F32, weights->dims,
                                   std::span<const float>(weights->weight)));
    edit.set_input(layer.main, 2,
                   edit.add_stored(name + "_folded_bias", DType::F32, channels,
                                   std::span<const float>(weights->bias)));
    take_out_norm(edit, layer);
  }
  return std::move(edit).finish();
}

}  // namespace strata
