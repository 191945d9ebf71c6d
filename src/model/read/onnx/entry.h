// Pairs of a key and a value: metadata, and where data outside of the file is.
#pragma once

#include <string_view>

#include "read/onnx/wire.h"
#include "strata/graph/graph.h"

namespace strata::onnx {

KeyValue read_entry(Source& source, std::string_view message);

}  // namespace strata::onnx
