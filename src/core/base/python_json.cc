#include "base/python_json.h"

#include <array>

namespace strata {

std::string json_from_python(std::string_view text) {
  static constexpr std::array<std::string_view, 3> kWords = {"-Infinity", "Infinity", "NaN"};
  std::string out;
  out.reserve(text.size());
  bool in_text = false;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (in_text) {
      if (c == '\\' && i + 1 < text.size()) {
        out.append(text.substr(i, 2));
        i += 2;
        continue;
      }
      in_text = c != '"';
    } else if (c == '"') {
      in_text = true;
    } else if (c == 'N' || c == 'I' || c == '-') {
      std::string_view found;
      for (const std::string_view word : kWords)
        if (text.substr(i).starts_with(word)) found = word;
      if (!found.empty()) {
        out += "null";
        i += found.size();
        continue;
      }
    }
    out += c;
    ++i;
  }
  return out;
}

}  // namespace strata
