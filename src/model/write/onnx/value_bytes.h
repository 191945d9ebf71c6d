// Known elements as stored bytes.
#pragma once

#include <optional>
#include <string>

#include "strata/graph/value.h"

namespace strata::onnx {

// Little endian, packed; nullopt if an element is a formula, or if no shape is computed with this
// type (strings, 8-bit floats, integers of less than 8 bits).
std::optional<std::string> value_bytes(const Value& value, DType type);

}  // namespace strata::onnx
