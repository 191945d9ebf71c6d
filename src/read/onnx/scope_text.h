// The texts in which PyTorch's newer exporter writes the place of a node.
#pragma once

#include <string_view>

#include "strata/base/inline_vector.h"

namespace strata::onnx {

using Words = InlineVector<std::string_view, 12>;

// The elements of `['', 'network', "a'b"]`, without quotes and not unescaped; empty if the text is
// not such a list.
Words list_of_texts(std::string_view text);

// `torch.nn.modules.conv.Conv2d` → `Conv2d`.
std::string_view last_part(std::string_view dotted);

}  // namespace strata::onnx
