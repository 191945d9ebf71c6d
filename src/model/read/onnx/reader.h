// ONNX models: reads the ModelProto and turns exceptions into Errors.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "strata/read/read.h"

namespace strata::onnx {

// True if the bytes could be an ONNX model. A protocol buffer has no signature, so this checks
// whether the first fields are some that a ModelProto has.
bool looks_like_model(std::string_view bytes);

// `path` is that of a mapped file; external weights are looked for beside it. nullopt: the bytes
// are in memory, and files are not looked for.
Result<Model> read(std::string_view bytes, std::string_view label, std::optional<std::string> path,
                   const ReadOptions& options);

}  // namespace strata::onnx
