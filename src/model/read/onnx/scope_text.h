// The texts in which PyTorch's newer exporter writes the place of a node.
#pragma once

#include <string_view>

#include "base/system_calls.h"
#include "strata/base/inline_vector.h"

namespace strata::onnx {

using Words = InlineVector<std::string_view, 12>;

// The elements of `['', 'network', "a'b"]`, without quotes and not unescaped; empty if the text is
// not such a list or has more than `most` elements.
Words list_of_texts(std::string_view text, std::size_t most = 64);

using system_calls::last_of;

// `torch.nn.modules.conv.Conv2d` → `Conv2d`.
std::string_view last_part(std::string_view dotted);

}  // namespace strata::onnx
