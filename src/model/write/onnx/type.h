// Types of values: TypeProto and ValueInfoProto.
#pragma once

#include <string_view>

#include "strata/graph/graph.h"
#include "write/onnx/message.h"

namespace strata::onnx {

// True if a type contains information: at least an element type, a rank or another kind.
bool says_anything(const TypeInfo& type);

Message type_message(const TypeInfo& type);
// The type is left out if it would say nothing.
Message value_message(std::string_view name, const TypeInfo& type);

}  // namespace strata::onnx
