// Graphs, the network's own and bodies: GraphProto, NodeProto, AttributeProto.
#pragma once

#include "write/onnx/names.h"
#include "write/onnx/writing.h"

namespace strata::onnx {

// `outer` holds the names of the graph around a body; it is null for the network.
Message graph_message(Writing& writing, const Graph& graph, const WrittenNames* outer);

// `names` are those of the graph that contains the node, for its bodies.
Message attribute_message(Writing& writing, const Attribute& attribute, const WrittenNames& names);

}  // namespace strata::onnx
