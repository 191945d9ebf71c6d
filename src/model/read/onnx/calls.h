// Calls of the model's own functions are replaced by the function's nodes, so that the rest of
// strata sees only operators.
#pragma once

#include <span>
#include <string_view>

#include "read/onnx/graph.h"

namespace strata::onnx {

// One call, while its function's nodes are added.
struct Call {
  const Function& function;
  std::span<const Default> attributes;  // those that the call sets
  const Environment& caller;
  std::string_view prefix;  // for the names of nodes and values inside
};

void inline_call(Loading& loading, const Environment& here, const NodeText& text,
                 const Function& function);

// The version of a domain's operators that a node at `here` uses.
std::int32_t opset_at(Loading& loading, const Environment& here, std::string_view domain);

}  // namespace strata::onnx
