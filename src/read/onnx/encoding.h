// What a Graph keeps of an ONNX file as it is: TensorProto, SparseTensorProto, TypeProto and
// AttributeProto messages.
#pragma once

#include "strata/graph/graph.h"

namespace strata::onnx {

extern const Encoding kEncoding;

inline Encoded encoded(std::string_view message) { return {message, &kEncoding}; }

}  // namespace strata::onnx
