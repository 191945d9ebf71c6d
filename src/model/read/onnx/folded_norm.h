// Batch norms that PyTorch's newer exporter folded into the convolution or linear layer before
// them. It writes the layer where the norm was, with the norm's place in the module tree; the
// layer's own path is left in the name of its weights.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "read/onnx/node.h"

namespace strata::onnx {

struct ModuleName {
  std::string_view path;
  std::string_view cls;
};

// The layer that a node is, if a norm was folded into it; else empty. `rank` is the number of axes
// of its weights.
ModuleName layer_before_norm(const NodeText& node, std::size_t rank);

// Counts folded norms, and says how many there are.
class FoldedNorms {
 public:
  void add(const NodeText& node, const ModuleName& layer);
  // Empty if there are none.
  std::string note() const;

 private:
  int count_ = 0;
  std::string_view norm_, layer_;  // the first of them
};

}  // namespace strata::onnx
