// The inputs and outputs that ONNX's conformance cases store beside a model.
#pragma once

#include <filesystem>
#include <optional>

#include "strata/base/result.h"
#include "strata/graph/graph.h"

namespace strata::conformance {

struct StoredValue {
  TypeInfo type;
  std::optional<Value> value;  // its elements, if they are few
};

// Reads a .pb file of the kind that the model declares for this place: a tensor,
// a sequence of tensors, or an optional of either.
Result<StoredValue> read_stored(const std::filesystem::path& file, ValueKind kind);

}  // namespace strata::conformance
