// Stored tensors: where their elements are, and whether there are as many as their shape needs.
#pragma once

#include <string_view>

#include "read/onnx/loading.h"

namespace strata::onnx {

// Reads a TensorProto. The model keeps the result.
TensorData* read_tensor(Loading& loading, std::string_view message);
// Reads a SparseTensorProto, which has the name of its values.
TensorData* read_sparse_tensor(Loading& loading, std::string_view message);

// Converts a type number from the file; Undefined, with a note, if this build does not know it.
DType read_dtype(Loading& loading, std::int64_t number);

}  // namespace strata::onnx
