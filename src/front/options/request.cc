#include "options/request.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_text.h"

namespace strata::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kDeepest = 8;

Error broken(const std::string& detail) {
  return make_error(Code::RequestBroken, {.detail = detail});
}
Error wrong_value(const std::string& option, std::string_view detail) {
  return make_error(Code::OptionValue, {.name = option, .detail = std::string(detail)});
}

// A text as it is, a number in its shortest form.
std::optional<std::string> scalar_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return json_text(value, -1);
  return std::nullopt;
}

// One value: a scalar, or scalars with commas between.
std::optional<std::string> value_text(const Json& value) {
  if (!value.is_array()) return scalar_text(value);
  std::string list;
  for (const Json& item : value) {
    const auto text = scalar_text(item);
    if (!text) return std::nullopt;
    list += (list.empty() ? "" : ",") + *text;
  }
  return list;
}

Result<RequestOption> read_option(const std::string& name, const Json& value) {
  RequestOption option{name};
  if (value.is_boolean()) {
    option.on = value.get<bool>();
    return option;
  }
  if (value.is_structured()) {
    for (const auto& [key, item] : value.items()) {
      const auto text = value.is_object() ? value_text(item) : scalar_text(item);
      if (!text)
        return failure(wrong_value(name, "it takes texts, numbers, lists and objects of them"));
      option.values.push_back(value.is_object() ? key + "=" + *text : *text);
    }
    return option;
  }
  option.values.push_back(*scalar_text(value));
  return option;
}

Result<std::vector<RequestOption>> read_options(const Json& json) {
  if (!json.is_object()) return failure(broken("its \"options\" are not an object"));
  std::vector<RequestOption> options;
  for (const auto& [name, value] : json.items()) {
    if (value.is_null()) continue;
    auto option = read_option(name, value);
    if (!option) return failure(option);
    options.push_back(std::move(*option));
  }
  return options;
}

}  // namespace

Result<std::vector<RequestOption>> options_from_json(std::string_view text) {
  const Json json = json_from_text(text, kDeepest);
  if (json.is_discarded()) return failure(broken("it is not JSON"));
  return read_options(json);
}

Result<Request> request_from_json(std::string_view text) {
  const Json json = json_from_text(text, kDeepest);
  if (json.is_discarded()) return failure(broken("it is not JSON"));
  if (!json.is_object()) return failure(broken("it is not an object"));
  Request request;
  for (const auto& [key, value] : json.items()) {
    if (key == "command") {
      if (!value.is_string()) return failure(broken("its \"command\" is not text"));
      request.command = value.get<std::string>();
    } else if (key == "options") {
      auto options = read_options(value);
      if (!options) return failure(options);
      request.options = std::move(*options);
    } else {
      return failure(broken(fmt::format("\"{}\" is neither \"command\" nor \"options\"", key)));
    }
  }
  if (request.command.empty()) return failure(broken("it has no \"command\""));
  return request;
}

Request recorded_request(const std::vector<std::string>& command,
                         const std::vector<std::pair<std::string, std::string>>& options) {
  Request request{fmt::format("{}", fmt::join(command, " ")), {}};
  for (const auto& [name, value] : options) {
    if (request.options.empty() || request.options.back().name != name)
      request.options.push_back({name});
    request.options.back().values.push_back(value);
  }
  return request;
}

}  // namespace strata::cli
