// What a file declares of a value: TypeProto and ValueInfoProto.
#pragma once

#include <string_view>

#include "read/onnx/loading.h"

namespace strata::onnx {

struct ValueText {
  std::string_view name;
  std::string_view type;  // TypeProto message; may be empty
};
ValueText read_value_info(Source& source, std::string_view message);

// What sizes become that a type leaves open: of the network's inputs a symbol
// `<name>_d<axis>`, so that a user can set it.
enum class OpenSizes { Unknown, Symbols };
// A TypeProto; `name` is that of the value, for symbols and errors.
TypeInfo read_type(Loading& loading, std::string_view message, std::string_view name,
                   OpenSizes open);

}  // namespace strata::onnx
