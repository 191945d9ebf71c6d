// TensorFlow Lite models (.tflite, LiteRT): a FlatBuffers file with subgraphs, tensors and
// operators, read where it is mapped. Weights are not looked at.
#pragma once

#include <string_view>

#include "strata/graph/graph.h"
#include "strata/read/read.h"

namespace strata::tflite {

bool looks_like_model(std::string_view bytes);
// `label` names the file in errors.
Result<Model> read(std::string_view bytes, std::string_view label, const ReadOptions& options);

}  // namespace strata::tflite
