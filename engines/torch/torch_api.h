// The parts of libtorch's C++ interface that this plugin uses, and what differs between its
// versions.
#pragma once

#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/version.h>

#include <cstdint>
#include <string>

namespace strata::libtorch {

// Nanoseconds of CLOCK_MONOTONIC.
std::int64_t now_ns();

// ONNX's number of an element type, which the contract uses; 0 if it has none.
std::int32_t dtype_number(at::ScalarType type);
// The reverse; throws a Failure that names `input` if libtorch has no such type.
at::ScalarType scalar_type(std::int32_t dtype, const std::string& input);
// Python's name without `torch.`: `float32`.
const char* dtype_name(at::ScalarType type);

}  // namespace strata::libtorch
