// Attributes of nodes.
#pragma once

#include <string_view>

#include "read/onnx/graph.h"

namespace strata::onnx {

// Reads an AttributeProto of a node at `here`; names in a body have the meaning they have at
// `meaning`. Inside a function, it may refer to an attribute of the call; false if the call has
// none.
bool read_attribute(Loading& loading, const Environment& here, const Environment& meaning,
                    std::string_view message, Attribute& attribute);

}  // namespace strata::onnx
