// Finds the stored tensors that are parameters, in files of PyTorch's newer exporter.
#pragma once

#include <span>

#include "read/onnx/names.h"
#include "read/onnx/type.h"

namespace strata::onnx {

// Sets TensorData::learned of the graph's stored tensors from what `declared` says about them.
// `inputs_say`: the graph's inputs say what kind they are. Adds a note if the exporter computed
// tensors from parameters. To be called once `names` has all values of the graph.
void mark_learned(Loading& loading, const Names& names, std::span<TensorData* const> stored,
                  std::span<const ValueText> declared, bool inputs_say);

}  // namespace strata::onnx
