#include "base/error_fields.h"

#include <nlohmann/json.hpp>

#include "base/json_text.h"

namespace strata {

std::vector<std::pair<std::string_view, std::string_view>> named_fields(const Error& error) {
  const ErrorFields& own = error.fields();
  std::vector<std::pair<std::string_view, std::string_view>> all = {
      {"file", own.file},   {"model", own.model},   {"name", own.name},    {"given", own.given},
      {"found", own.found}, {"wanted", own.wanted}, {"detail", own.detail}};
  std::erase_if(all, [](const auto& field) { return field.second.empty(); });
  return all;
}

std::string error_json(const Error& error) {
  nlohmann::ordered_json fields = nlohmann::ordered_json::object();
  for (const auto& [name, value] : named_fields(error)) fields[std::string(name)] = value;
  return json_text(nlohmann::ordered_json{{"code", std::string(code_name(error.code))},
                                          {"fields", std::move(fields)},
                                          {"message", error.message}},
                   -1);
}

}  // namespace strata
