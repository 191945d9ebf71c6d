#include "edit/qdq_nodes.h"

#include <fmt/format.h>

namespace strata {

QdqNodes::Scales QdqNodes::scales(std::string_view name, const Quantization& numbers) {
  const auto zero = static_cast<std::uint8_t>(numbers.zero_point);
  return {edit_.add_stored(fmt::format("{}_scale", name), DType::F32, {},
                           std::span<const float>(&numbers.scale, 1)),
          edit_.add_stored(fmt::format("{}_zero_point", name), DType::U8, {},
                           std::span<const std::uint8_t>(&zero, 1))};
}

TensorId QdqNodes::pair(NodeId after, const std::string& name, TensorId x, TensorId back,
                        const Scales& scales) {
  TypeInfo type = edit_.tensor(x).type;
  type.dtype = DType::U8;
  const TensorId number = edit_.add_activation(name + "_quantized", type);
  const ScopeId scope = after == kNone ? 0 : edit_.node(after).scope;
  const TensorId in[] = {x, scales.scale, scales.zero_point};
  const TensorId out[] = {number, scales.scale, scales.zero_point};
  edit_.insert_after(after, {.op = "QuantizeLinear",
                             .name = name + "_QuantizeLinear",
                             .inputs = in,
                             .output = number,
                             .scope = scope});
  edit_.insert_after(after, {.op = "DequantizeLinear",
                             .name = name + "_DequantizeLinear",
                             .inputs = out,
                             .output = back,
                             .scope = scope});
  return number;
}

TensorId QdqNodes::back_by_channel(NodeId after, const std::string& name, TensorId number,
                                   std::int64_t channels, const Quantization& numbers,
                                   const TypeInfo& type) {
  const std::vector<float> scales(static_cast<std::size_t>(channels), numbers.scale);
  const std::vector<std::uint8_t> zeros(scales.size(),
                                        static_cast<std::uint8_t>(numbers.zero_point));
  const std::int64_t dims[] = {channels};
  const TensorId back = edit_.add_activation(name + "_by_channel", type);
  const TensorId inputs[] = {
      number,
      edit_.add_stored(name + "_channel_scales", DType::F32, dims, std::span<const float>(scales)),
      edit_.add_stored(name + "_channel_zero_points", DType::U8, dims,
                       std::span<const std::uint8_t>(zeros))};
  const Attribute attributes[] = {{"axis", std::int64_t{1}}};
  edit_.insert_after(after, {.op = "DequantizeLinear",
                             .name = name + "_DequantizeLinear_by_channel",
                             .inputs = inputs,
                             .output = back,
                             .attributes = attributes,
                             .scope = after == kNone ? 0 : edit_.node(after).scope});
  return back;
}

TensorId QdqNodes::zeros(DType type, std::int64_t count) {
  const auto [at, is_new] = zeros_.try_emplace({type, count}, kNone);
  if (is_new) {
    const std::string bytes(static_cast<std::size_t>(count * bits(type) / 8), '\0');
    const std::int64_t dims[] = {count};
    at->second = edit_.add_stored(fmt::format("zeros_{}_{}", strata::name_of(type), count), type,
                                  dims, bytes);
  }
  return at->second;
}

QdqNodes::Weight QdqNodes::weight(const std::string& name, std::span<const std::int64_t> dims,
                                  const WholeWeights& whole) {
  const std::int64_t channels[] = {static_cast<std::int64_t>(whole.scales.size())};
  return {
      edit_.add_stored(name + "_quantized", DType::I8, dims,
                       std::span<const std::int8_t>(whole.weight)),
      edit_.add_stored(name + "_scale", DType::F32, channels, std::span<const float>(whole.scales)),
      zeros(DType::I8, channels[0])};
}

QdqNodes::Weight QdqNodes::bias(const std::string& name, const WholeWeights& whole) {
  const std::int64_t channels[] = {static_cast<std::int64_t>(whole.bias.size())};
  return {edit_.add_stored(name + "_quantized", DType::I32, channels,
                           std::span<const std::int32_t>(whole.bias)),
          edit_.add_stored(name + "_scale", DType::F32, channels,
                           std::span<const float>(whole.bias_scales)),
          zeros(DType::I32, channels[0])};
}

TensorId QdqNodes::restored(NodeId reader, const std::string& name, const Weight& weight,
                            std::int64_t axis) {
  TypeInfo type = edit_.tensor(weight.number).type;
  type.dtype = DType::F32;
  const TensorId back = edit_.add_activation(name + "_dequantized", type);
  const TensorId inputs[] = {weight.number, weight.scale, weight.zero_point};
  const Attribute attributes[] = {{"axis", axis}};
  edit_.insert_before(reader, {.op = "DequantizeLinear",
                               .name = name + "_DequantizeLinear",
                               .inputs = inputs,
                               .output = back,
                               .attributes = attributes,
                               .scope = edit_.node(reader).scope});
  return back;
}

}  // namespace strata
