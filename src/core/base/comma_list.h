// The items of a list with commas between them.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace strata {

// Views of the text. A comma at the end begins no item; an item may be empty.
inline std::vector<std::string_view> comma_list(std::string_view text) {
  std::vector<std::string_view> items;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    items.push_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return items;
}

}  // namespace strata
