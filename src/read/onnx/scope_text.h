// The texts in which PyTorch's newer exporter writes the place of a node.
#pragma once

#include <cstring>
#include <string_view>

#include "strata/base/inline_vector.h"

namespace strata::onnx {

using Words = InlineVector<std::string_view, 12>;

// The elements of `['', 'network', "a'b"]`, without quotes and not unescaped; empty if the text is
// not such a list.
Words list_of_texts(std::string_view text);

// As rfind(), which looks at one letter at a time.
inline std::size_t last_of(std::string_view text, char letter) {
  const void* at = text.empty() ? nullptr : ::memrchr(text.data(), letter, text.size());
  return at == nullptr ? text.npos
                       : static_cast<std::size_t>(static_cast<const char*>(at) - text.data());
}

// `torch.nn.modules.conv.Conv2d` → `Conv2d`.
std::string_view last_part(std::string_view dotted);

}  // namespace strata::onnx
