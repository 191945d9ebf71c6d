// ExecuTorch programs (.pte): a FlatBuffers file of instructions that call kernels and delegates,
// with constants in segments behind it. Elements of weights are not read.
#pragma once

#include <string_view>

#include "strata/graph/graph.h"
#include "strata/read/read.h"

namespace strata::executorch {

bool looks_like_program(std::string_view bytes);
// `label` names the file in errors.
Result<Model> read(std::string_view bytes, std::string_view label, const ReadOptions& options);

}  // namespace strata::executorch
