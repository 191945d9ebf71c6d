// Known elements as stored bytes.
#pragma once

#include <optional>
#include <string>

#include "strata/graph/value.h"

namespace strata::onnx {

// Little endian, packed; nullopt if one of them is a formula, or if the type is one
// that no shape is computed with (strings, floats of 8 bits, integers of less).
std::optional<std::string> value_bytes(const Value& value, DType type);

}  // namespace strata::onnx
