#include "document/json_layout.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/json_text.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

bool holds_objects(const Json& json) {
  if (json.is_object()) return true;
  return json.is_array() && std::any_of(json.begin(), json.end(), holds_objects);
}

void add(std::string& out, const Json& json, std::size_t level) {
  if (json.empty() || !holds_objects(json)) {
    out += json_text(json, -1);
    return;
  }
  const std::string indent(2 * level + 2, ' ');
  out += json.is_object() ? "{" : "[";
  std::string_view comma = "\n";
  for (const auto& [key, value] : json.items()) {
    out += comma;
    out += indent;
    if (json.is_object()) out += json_text(Json(key), -1) + ": ";
    add(out, value, level + 1);
    comma = ",\n";
  }
  out += "\n" + std::string(2 * level, ' ');
  out += json.is_object() ? "}" : "]";
}

}  // namespace

std::string json_lines(const Json& json) {
  std::string out;
  add(out, json, 0);
  return out + "\n";
}

}  // namespace strata
