#include "ops/recast.h"

#include "ops/elements.h"
#include "ops/tflite_table.h"

namespace strata {

Recast unchanged(const NodeView& c, std::string_view op, int opset) {
  Recast other{op};
  for (std::size_t i = 0; i < c.input_count(); ++i) other.inputs.push_back(input_of(c, i));
  other.attributes.assign(c.node().attributes.begin(), c.node().attributes.end());
  other.opset = opset;
  return other;
}

namespace {

Recast with_channels_first(const Recast& other) {
  Recast first = other;
  if (first.is_image && !first.inputs.empty()) {
    Tensor& image = first.inputs[0];
    image.type = channels_first(*image.type);
    image.data = nullptr;
    image.value = nullptr;
  }
  return first;
}

}  // namespace

Status shape_as(ShapeContext& c, const Recast& other) {
  auto outputs =
      outputs_of(c, with_channels_first(other).part(std::max<std::size_t>(c.output_count(), 1)));
  if (!outputs) return failure(outputs);
  for (std::size_t i = 0; i < outputs->size(); ++i) {
    Tensor& output = (*outputs)[i];
    TypeInfo type = other.is_image ? channels_last(*output.type) : *output.type;
    if (i == 0) type.dtype = stated_dtype(c, type.dtype);
    if (output.value != nullptr && !other.is_image && output.value->type == type.dtype)
      set_output(c, i, output);
    else
      c.set(i, std::move(type));
  }
  return {};
}

void cost_as(CostContext& c, const Recast& other) {
  std::vector<TypeInfo> outputs;
  for (std::size_t i = 0; i < c.output_count(); ++i)
    outputs.push_back(other.is_image ? channels_first(c.out(i)) : c.out(i));
  add_work(c, with_channels_first(other).part(outputs.size()), outputs);
  fused_activation(c);
}

void fused_activation(CostContext& c) {
  const std::string_view name = c.text("activation", "");
  const Expr count = c.out_elements(0);
  if (c.node().domain != kTflite) return add_activation(c, name, count);
  if (name == "RELU6" || name == "RELU_N1_TO_1")
    c.adds({{"outputs", count}, {"bounds", 2}});
  else if (name == "TANH")
    add_elementwise(c, "Tanh", count);
  else if (name == "RELU" || name == "SIGN_BIT")
    c.adds({{"outputs, activation", count}});
  else if (!name.empty())
    c.at_least("the function that is fused into it is not known");
}

DType stated_dtype(const NodeView& c, DType otherwise) {
  const auto number = c.integer("dtype");
  const auto stated = number ? dtype_from_onnx(*number) : std::nullopt;
  return stated ? *stated : otherwise;
}

}  // namespace strata
