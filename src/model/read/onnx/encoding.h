// The messages of an ONNX file that a Graph keeps as they are: TensorProto, SparseTensorProto,
// TypeProto and AttributeProto.
#pragma once

#include "strata/graph/graph.h"

namespace strata::onnx {

extern const Encoding kEncoding;

inline Encoded encoded(std::string_view message) { return {message, &kEncoding}; }

}  // namespace strata::onnx
