#include "document/json_layout.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/utf8.h"
#include "base/visible.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

bool holds_objects(const Json& json) {
  if (json.is_object()) return true;
  return json.is_array() && std::any_of(json.begin(), json.end(), holds_objects);
}

bool is_plain(char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

void add_escaped(std::string& out, char32_t code) {
  const auto number = static_cast<std::uint32_t>(code);
  if (code == '"' || code == '\\')
    out += fmt::format("\\{}", static_cast<char>(code));
  else if (code == '\n')
    out += "\\n";
  else if (code == '\t')
    out += "\\t";
  else if (code < 0x10000)
    out += fmt::format("\\u{:04x}", number);
  else
    out += fmt::format("\\u{:04x}\\u{:04x}", 0xd7c0 + (number >> 10), 0xdc00 + (number & 0x3ff));
}

void add_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_plain) - text.begin();
    out += text.substr(0, static_cast<std::size_t>(end));
    text.remove_prefix(static_cast<std::size_t>(end));
    if (text.empty()) break;
    const CodePoint point = first_code_point(text);
    if (!point.valid)
      out += "\xef\xbf\xbd";
    else if (is_hidden(point.code) || point.code < 0x80)
      add_escaped(out, point.code);
    else
      out += text.substr(0, point.bytes);
    text.remove_prefix(point.bytes);
  }
  out += '"';
}

}  // namespace

void add_json(std::string& out, const Json& json, std::size_t level) {
  if (json.is_string()) return add_string(out, json.get_ref<const std::string&>());
  if (!json.is_structured() || json.empty()) {
    out += json_text(json, -1);
    return;
  }
  const bool in_lines = holds_objects(json);
  const std::string indent = in_lines ? "\n" + std::string(2 * level + 2, ' ') : "";
  out += json.is_object() ? '{' : '[';
  bool first = true;
  for (const auto& [key, value] : json.items()) {
    if (!std::exchange(first, false)) out += ',';
    out += indent;
    if (json.is_object()) {
      add_string(out, key);
      out += ": ";
    }
    add_json(out, value, level + 1);
  }
  if (in_lines) out += "\n" + std::string(2 * level, ' ');
  out += json.is_object() ? '}' : ']';
}

}  // namespace strata
