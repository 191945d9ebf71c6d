// What a file declares about a value: TypeProto and ValueInfoProto.
#pragma once

#include <string_view>

#include "read/onnx/loading.h"

namespace strata::onnx {

struct ValueText {
  std::string_view name;
  std::string_view type;  // TypeProto message; may be empty
  // For a stored tensor, as the newer of PyTorch's exporters tells.
  Learned learned = Learned::Unknown;
};
ValueText read_value_info(Source& source, std::string_view message);

// What happens to sizes that a type leaves open: for the network's inputs, they become a symbol
// `<name>_d<axis>`, so that a user can set them.
enum class OpenSizes { Unknown, Symbols };
// Reads a TypeProto; `name` is the value's name, for symbols and errors.
TypeInfo read_type(Loading& loading, std::string_view message, std::string_view name,
                   OpenSizes open);

}  // namespace strata::onnx
