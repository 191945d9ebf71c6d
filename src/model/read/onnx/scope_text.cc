#include "read/onnx/scope_text.h"

namespace strata::onnx {

Words list_of_texts(std::string_view text, std::size_t most) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return {};
  text = text.substr(1, text.size() - 2);
  Words words;
  while (!text.empty()) {
    const char quote = text.front();
    if ((quote != '\'' && quote != '"') || words.size() == most) return {};
    std::size_t end = 1;
    while (end < text.size() && text[end] != quote) end += text[end] == '\\' ? 2 : 1;
    if (end >= text.size()) return {};
    words.push_back(text.substr(1, end - 1));
    text.remove_prefix(end + 1);
    if (text.starts_with(", "))
      text.remove_prefix(2);
    else if (!text.empty())
      return {};
  }
  return words;
}

std::string_view last_part(std::string_view dotted) {
  const std::size_t dot = dotted.rfind('.');
  return dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
}

}  // namespace strata::onnx
