// OpenVINO's operators as ONNX's own: nearly all of them are one, with settings in other places.
// Those that are none keep their names, in domain `openvino`.
#pragma once

#include <functional>
#include <vector>

#include "read/openvino/loading.h"

namespace strata::openvino {

// A node that is being made of a layer.
struct Lowered {
  std::string_view op;
  std::string_view domain;
  int opset = 0;
  std::vector<TensorId> inputs;
  std::vector<Attribute> attributes;
};

// `inputs` are the tensors of the layer's inputs, in the order of its ports.
Lowered lowered(Loading& loading, const Graph& graph, const Layer& layer,
                std::vector<TensorId> inputs);

}  // namespace strata::openvino
