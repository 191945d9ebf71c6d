// Stored tensors: TensorProto and SparseTensorProto.
#pragma once

#include <string_view>

#include "write/onnx/writing.h"

namespace strata::onnx {

// A stored tensor of a graph, under its name there; a dense one may go to the data file. `value` is
// what is known about its elements if they are absent; it may be null.
Message initializer_message(Writing& writing, const TensorData& data, std::string_view name,
                            const Value* value);
// A tensor in an attribute. Engines require it to be in the model's own file.
Message tensor_message(Writing& writing, const TensorData& data);

}  // namespace strata::onnx
