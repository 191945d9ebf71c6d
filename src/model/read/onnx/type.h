// The declared types of values: TypeProto and ValueInfoProto.
#pragma once

#include <string_view>

#include "read/onnx/loading.h"

namespace strata::onnx {

struct ValueText {
  std::string_view name;
  std::string_view type;  // TypeProto message; may be empty
  // From the newer of PyTorch's exporters: whether it says what kind of tensor this is, what that
  // means, and the list of names that it computed a stored tensor from.
  bool has_kind = false;
  Learned learned = Learned::Unknown;
  std::string_view folded_from;
};
ValueText read_value_info(Source& source, std::string_view message);

// The treatment of sizes that a type leaves open: for the network's inputs, they become a symbol
// `<name>_d<axis>`, so that a user can set them.
enum class OpenSizes { Unknown, Symbols };
// Reads a TypeProto; `name` is the value's name, for symbols and errors.
TypeInfo read_type(Loading& loading, std::string_view message, std::string_view name,
                   OpenSizes open);

}  // namespace strata::onnx
