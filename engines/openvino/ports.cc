#include "ports.h"

#include "strata/graph/dtype.h"

namespace strata::openvino {

namespace {

struct TypePair {
  DType onnx;
  ov::element::Type_t ov;
};
constexpr TypePair kTypes[] = {
    {DType::F32, ov::element::Type_t::f32},     {DType::F16, ov::element::Type_t::f16},
    {DType::BF16, ov::element::Type_t::bf16},   {DType::F64, ov::element::Type_t::f64},
    {DType::I8, ov::element::Type_t::i8},       {DType::U8, ov::element::Type_t::u8},
    {DType::I16, ov::element::Type_t::i16},     {DType::U16, ov::element::Type_t::u16},
    {DType::I32, ov::element::Type_t::i32},     {DType::U32, ov::element::Type_t::u32},
    {DType::I64, ov::element::Type_t::i64},     {DType::U64, ov::element::Type_t::u64},
    {DType::Bool, ov::element::Type_t::boolean}};

}  // namespace

std::int32_t onnx_type(const ov::element::Type& type) {
  for (const TypePair& pair : kTypes)
    if (type == pair.ov) return static_cast<std::int32_t>(pair.onnx);
  return 0;
}

ov::element::Type ov_type(std::int32_t number) {
  for (const TypePair& pair : kTypes)
    if (static_cast<std::int32_t>(pair.onnx) == number) return pair.ov;
  return ov::element::dynamic;
}

StrataPort Ports::described(Text& text, std::int32_t dtype, bool ranked) {
  for (const std::string& symbol : text.symbols)
    text.symbol_pointers.push_back(symbol.empty() ? nullptr : symbol.c_str());
  return {text.name.c_str(), dtype, ranked ? static_cast<std::int32_t>(text.dims.size()) : -1,
          text.dims.data(), text.symbol_pointers.data()};
}

void Ports::read_inputs(const Model& source) {
  for (const TensorId id : source.graph().inputs) {
    const Tensor& tensor = source.graph().tensors[id];
    Text& text = texts_.emplace_back();
    text.name = tensor.name;
    for (const Expr& dim : tensor.type->dims) {
      text.dims.push_back(dim.number().value_or(-1));
      text.symbols.push_back(dim.is_formula() ? dim.text() : "");
    }
    inputs_.push_back(
        described(text, static_cast<std::int32_t>(tensor.type->dtype), tensor.type->ranked));
  }
}

void Ports::add_output(const std::string& name, const ov::Output<const ov::Node>& output) {
  Text& text = texts_.emplace_back();
  text.name = name;
  const ov::PartialShape& shape = output.get_partial_shape();
  const bool ranked = shape.rank().is_static();
  if (ranked)
    for (const ov::Dimension& dim : shape) {
      text.dims.push_back(dim.is_static() ? dim.get_length() : -1);
      text.symbols.emplace_back();
    }
  outputs_.push_back(described(text, onnx_type(output.get_element_type()), ranked));
}

}  // namespace strata::openvino
