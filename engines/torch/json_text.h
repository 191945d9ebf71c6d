// Pieces of JSON, as recordings have them.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace strata::libtorch {

inline void add_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (byte < 0x20 || byte == 0x7f)
      out += fmt::format("\\u{:04x}", byte);
    else
      out += c;
  }
  out += '"';
}

template <class List>
void add_numbers(std::string& out, const List& numbers) {
  out += '[';
  bool first = true;
  for (const auto number : numbers) {
    if (!first) out += ',';
    first = false;
    out += fmt::format("{}", number);
  }
  out += ']';
}

}  // namespace strata::libtorch
