// Types, quantization and stored elements of tensors.
#pragma once

#include "read/tflite/loading.h"

namespace strata::tflite {

DType dtype_of(const Table& tensor);

// The type that a file states. An open size is a symbol if the tensor is an input of the network;
// anywhere else it makes the whole shape unknown, which inference then finds.
TypeInfo type_of_tensor(Loading& loading, const Table& tensor, bool is_input);

// The stored elements of a tensor; null if it has none.
const TensorData* data_of_tensor(Loading& loading, const Table& tensor);

// State that stays from one run to the next and is not in the file.
const TensorData* state_of_tensor(Loading& loading, const Table& tensor);

// A stored tensor with no elements.
const TensorData* empty_tensor(Loading& loading, const Table& tensor);

// Counts how a tensor is quantized, and checks what the file says of it.
void count_quantization(Loading& loading, const Table& tensor);

}  // namespace strata::tflite
