// The options of an operator, as attributes.
#pragma once

#include <vector>

#include "read/tflite/loading.h"

namespace strata::tflite {

// The graphs that an operator runs are attributes with the number of a subgraph.
struct Body {
  std::string_view attribute;
  std::int64_t subgraph;
};

struct OptionTexts {
  std::vector<Attribute> attributes;
  std::vector<Body> bodies;
};

// Fields have their names in TFLite's schema, except for those that mean the same as attributes of
// ONNX: strides, dilations, kernel_shape and auto_pad of windows, and `activation`, the function
// that is fused into the operator.
void read_options(Loading& loading, const Table& op, const OperatorName& name, OptionTexts& out);

}  // namespace strata::tflite
