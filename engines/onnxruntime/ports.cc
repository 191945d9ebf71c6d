#include "ports.h"

namespace strata::ort {

void Ports::read(const Ort::Session& session) {
  Ort::AllocatorWithDefaultOptions allocator;
  for (std::size_t i = 0; i < session.GetInputCount(); ++i)
    inputs_.push_back(
        add(session.GetInputNameAllocated(i, allocator).get(), session.GetInputTypeInfo(i)));
  for (std::size_t i = 0; i < session.GetOutputCount(); ++i)
    outputs_.push_back(
        add(session.GetOutputNameAllocated(i, allocator).get(), session.GetOutputTypeInfo(i)));
  for (const StrataPort& port : outputs_) output_names_.push_back(port.name);
}

StrataPort Ports::add(const std::string& name, const Ort::TypeInfo& type) {
  Text& text = texts_.emplace_back();
  text.name = name;
  if (type.GetONNXType() != ONNX_TYPE_TENSOR)  // sequences, maps, optionals
    return {text.name.c_str(), 0, -1, nullptr, nullptr};
  const auto tensor = type.GetTensorTypeAndShapeInfo();
  text.dims = tensor.GetShape();
  for (const char* symbol : tensor.GetSymbolicDimensions())
    text.symbols.emplace_back(symbol != nullptr ? symbol : "");
  for (const std::string& symbol : text.symbols)
    text.symbol_pointers.push_back(symbol.empty() ? nullptr : symbol.c_str());
  return {text.name.c_str(), static_cast<std::int32_t>(tensor.GetElementType()),
          static_cast<std::int32_t>(text.dims.size()), text.dims.data(),
          text.symbol_pointers.data()};
}

}  // namespace strata::ort
