#include "document/wrap.h"

#include <algorithm>

#include "strata/base/number_text.h"

namespace strata {

namespace {

// Units stay beside their number: `9.188 MiB`, `50.0 %`.
bool is_unit(std::string_view word) {
  constexpr std::string_view kUnits[] = {"%",   "B",  "kB", "MB", "GB", "KiB",  "MiB",  "GiB",
                                         "TiB", "k",  "M",  "G",  "T",  "s",    "ms",   "µs",
                                         "ns",  "dB", "mJ", "µJ", "nJ", "Mbps", "Gbps", "kbps"};
  while (!word.empty() && std::string_view(".,;:)]").find(word.back()) != std::string_view::npos)
    word.remove_suffix(1);
  return std::find(std::begin(kUnits), std::end(kUnits), word) != std::end(kUnits);
}

// The first word of a text, with its unit if it ends with a digit.
std::string_view first_word(std::string_view text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  if (end == 0 || end == text.size() || text[end - 1] < '0' || text[end - 1] > '9')
    return text.substr(0, end);
  const std::size_t next = std::min(text.find(' ', end + 1), text.size());
  return text.substr(0, is_unit(text.substr(end + 1, next - end - 1)) ? next : end);
}

// One line broken at spaces to fit; what follows a break is set in by two more.
std::string wrapped_line(std::string_view text, std::size_t width) {
  std::string out(text.substr(0, std::min(text.find_first_not_of(' '), text.size())));
  const std::string indent = "\n" + out + "  ";
  std::size_t column = out.size();
  text.remove_prefix(out.size());
  while (!text.empty()) {
    const std::string_view word = first_word(text);
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const std::size_t size = display_width(word);
    if (column + size > width && column > indent.size()) {
      out.pop_back();
      out += indent;
      column = indent.size() - 1;
    }
    out += word;
    out += ' ';
    column += size + 1;
  }
  if (out.ends_with(' ')) out.pop_back();
  return out + "\n";
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width) {
  if (width == 0) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += wrapped_line(text.substr(0, end), width);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace strata
