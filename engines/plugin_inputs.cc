#include "engines/plugin_inputs.h"

#include <map>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strata/base/expr.h"
#include "strata/graph/dtype.h"

namespace strata {

namespace {

std::string type_name(std::int32_t dtype) {
  const auto known = dtype_from_onnx(dtype);
  return known ? std::string(name_of(*known)) : fmt::format("type {}", dtype);
}

// `f32[N,3,224,224]`
std::string shape_text(const StrataPort& port) {
  std::string text = type_name(port.dtype);
  if (port.rank < 0) return text;
  text += '[';
  for (std::int32_t i = 0; i < port.rank; ++i) {
    if (i > 0) text += ',';
    const char* symbol = port.symbols != nullptr ? port.symbols[i] : nullptr;
    if (port.dims[i] >= 0)
      text += fmt::format("{}", port.dims[i]);
    else
      text += symbol != nullptr && *symbol != 0 ? symbol : "?";
  }
  return text + ']';
}

std::string shape_text(const StrataTensor& tensor) {
  return fmt::format("{}[{}]", type_name(tensor.dtype),
                     fmt::join(tensor.dims, tensor.dims + tensor.rank, ","));
}

bool fits(const StrataPort& port, const StrataTensor& tensor) {
  if (port.dtype != 0 && port.dtype != tensor.dtype) return false;
  if (port.rank < 0) return true;
  if (port.rank != tensor.rank) return false;
  for (std::int32_t i = 0; i < port.rank; ++i)
    if (port.dims[i] >= 0 && port.dims[i] != tensor.dims[i]) return false;
  return true;
}

// Bytes of a packed tensor; unknown if its elements have no fixed size.
Expr packed_bytes(const StrataTensor& tensor) {
  const int width = bits(dtype_from_onnx(tensor.dtype).value_or(DType::Undefined));
  if (width == 0) return Expr::unknown();
  Expr total = width;
  for (std::int32_t i = 0; i < tensor.rank; ++i) total *= tensor.dims[i];
  return ceil_div(total, 8);
}

// The name that some exporters give to every open axis: such axes need not be equal.
bool says_nothing(std::string_view symbol) {
  return symbol.empty() || symbol == "?" || symbol == "-1" || symbol == "None";
}

}  // namespace

std::string input_mistake(std::span<const StrataPort> ports, std::span<const StrataTensor> inputs) {
  std::map<std::string_view, const StrataPort*> expected;
  for (const StrataPort& port : ports) expected[port.name] = &port;
  std::map<std::string_view, std::pair<std::int64_t, const char*>> sizes;  // by symbol, and where
  std::map<std::string_view, int> given;
  for (const StrataTensor& tensor : inputs) {
    const auto found = expected.find(tensor.name);
    if (found == expected.end()) {
      std::vector<std::string> all;
      for (const StrataPort& port : ports)
        all.push_back(fmt::format("\"{}\" {}", port.name, shape_text(port)));
      return fmt::format("the model has no input \"{}\"; it has {}", tensor.name,
                         all.empty() ? "none" : fmt::format("{}", fmt::join(all, ", ")));
    }
    const StrataPort& port = *found->second;
    if (++given[tensor.name] > 1) return fmt::format("input \"{}\" is given twice", tensor.name);
    for (std::int32_t i = 0; i < tensor.rank; ++i)
      if (tensor.dims[i] < 0)
        return fmt::format("input \"{}\" has a negative size: {}", tensor.name, shape_text(tensor));
    if (!fits(port, tensor))
      return fmt::format("input \"{}\" is {}; the model takes {}", tensor.name, shape_text(tensor),
                         shape_text(port));
    const Expr bytes = packed_bytes(tensor);
    if (bytes.is_overflow())
      return fmt::format("input \"{}\" has {} bytes, too few for {}", tensor.name, tensor.bytes,
                         shape_text(tensor));
    if (bytes.is_number() && static_cast<std::uint64_t>(bytes.value()) != tensor.bytes)
      return fmt::format("input \"{}\" has {} bytes; {} takes {}", tensor.name, tensor.bytes,
                         shape_text(tensor), bytes.value());
    for (std::int32_t i = 0; i < port.rank; ++i) {
      const char* symbol = port.symbols != nullptr ? port.symbols[i] : nullptr;
      if (port.dims[i] >= 0 || symbol == nullptr || says_nothing(symbol)) continue;
      const auto [size, added] = sizes.try_emplace(symbol, tensor.dims[i], tensor.name);
      if (!added && size->second.first != tensor.dims[i])
        return fmt::format("size {} is {} in input \"{}\" and {} in input \"{}\"", symbol,
                           size->second.first, size->second.second, tensor.dims[i], tensor.name);
    }
  }
  for (const StrataPort& port : ports)
    if (given[port.name] == 0)
      return fmt::format("input \"{}\" is missing; the model takes {}", port.name,
                         shape_text(port));
  return "";
}

}  // namespace strata
