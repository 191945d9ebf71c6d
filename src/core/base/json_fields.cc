#include "base/json_fields.h"

#include <algorithm>
#include <limits>

#include "base/in_quotes.h"

namespace strata {

using Json = JsonFields::Json;

void JsonFields::wrong(std::string_view what) {
  if (!problem_.empty()) return;
  problem_ = fmt::format("{}{}{}: {}", kind_, kind_.empty() ? "" : " ", file_, what);
}

tl::unexpected<Error> JsonFields::failed(std::string_view what) {
  if (!what.empty()) wrong(what);
  return failure(Code::FileBroken, {.file = file_, .name = kind_}, problem_);
}

const Json* JsonFields::at(const Json& from, const char* key) const {
  if (!problem_.empty() || !from.is_object()) return nullptr;
  const auto found = from.find(key);
  return found == from.end() || found->is_null() ? nullptr : &*found;
}

const Json& JsonFields::object(const Json& from, const char* key, std::string_view where) {
  static const Json kNothing = Json::object();
  const Json* value = at(from, key);
  if (value == nullptr) return kNothing;
  if (value->is_object()) return *value;
  wrong(where, fmt::format("has a \"{}\" that is not an object", key));
  return kNothing;
}

std::string JsonFields::text(const Json& from, const char* key, std::string_view where) {
  const Json* value = at(from, key);
  if (value == nullptr) return "";
  if (value->is_string()) return value->get<std::string>();
  wrong(where, fmt::format("has a \"{}\" that is not text", key));
  return "";
}

std::string JsonFields::needed_text(const Json& from, const char* key, std::string_view where) {
  const Json* value = at(from, key);
  if (value != nullptr && value->is_string()) return value->get<std::string>();
  wrong(where, fmt::format("has no text \"{}\"", key));
  return "";
}

bool JsonFields::flag(const Json& from, const char* key, std::string_view where) {
  const Json* value = at(from, key);
  if (value == nullptr) return false;
  if (value->is_boolean()) return value->get<bool>();
  wrong(where, fmt::format("has a \"{}\" that is neither true nor false", key));
  return false;
}

std::optional<std::int64_t> JsonFields::whole_number(const Json& value) {
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
    return std::nullopt;
  return value.is_number_integer() ? std::optional(value.get<std::int64_t>()) : std::nullopt;
}

std::int64_t JsonFields::whole_or(const Json& from, const char* key, std::int64_t otherwise,
                                  std::string_view where) {
  const Json* value = at(from, key);
  if (value == nullptr) return otherwise;
  const auto number = whole_number(*value);
  if (!number) wrong(where, fmt::format("has a \"{}\" that is not a whole number", key));
  return number.value_or(otherwise);
}

std::int64_t JsonFields::whole(const Json& from, const char* key, std::string_view where,
                               bool required) {
  if (required && at(from, key) == nullptr) wrong(where, fmt::format("has no \"{}\"", key));
  return whole_or(from, key, 0, where);
}

std::uint64_t JsonFields::size(const Json& from, const char* key, std::string_view where,
                               bool required) {
  const std::int64_t number = whole(from, key, where, required);
  if (number < 0) wrong(where, fmt::format("has a negative \"{}\"", key));
  return static_cast<std::uint64_t>(std::max<std::int64_t>(number, 0));
}

int JsonFields::count(const Json& from, const char* key, std::string_view where, int otherwise) {
  constexpr std::int64_t kMost = 1'000'000'000;
  const std::int64_t number = whole_or(from, key, otherwise, where);
  if (number >= otherwise && number <= kMost) return static_cast<int>(number);
  wrong(where, fmt::format("has a \"{}\" out of all proportion", key));
  return otherwise;
}

std::optional<double> JsonFields::real_if_any(const Json& from, const char* key,
                                              std::string_view where) {
  const Json* value = at(from, key);
  if (value == nullptr) return std::nullopt;
  if (value->is_number()) return value->get<double>();
  wrong(where, fmt::format("has a \"{}\" that is not a number", key));
  return std::nullopt;
}

std::optional<double> JsonFields::real_number(const Json& value) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (value.is_number()) return value.get<double>();
  if (value == "inf") return kInfinity;
  return value == "-inf" ? std::optional(-kInfinity) : std::nullopt;
}

std::optional<double> JsonFields::real_or_infinity(const Json& from, const char* key,
                                                   std::string_view where) {
  const Json* value = at(from, key);
  if (value == nullptr) return std::nullopt;
  const auto number = real_number(*value);
  if (!number) wrong(where, fmt::format("has a \"{}\" that is not a number", key));
  return number;
}

std::optional<Interval> JsonFields::interval(const Json& from, const char* key,
                                             std::string_view where) {
  const Json* value = at(from, key);
  if (value == nullptr) return std::nullopt;
  const auto end = [](const Json& one, double unknown) {
    return one.is_null() ? std::optional(unknown) : real_number(one);
  };
  if (value->is_array() && value->size() == 2) {
    const auto low = end((*value)[0], 0);
    const auto high = end((*value)[1], std::numeric_limits<double>::infinity());
    if (low && high) return Interval{*low, *high};
  }
  wrong(where, fmt::format("has a \"{}\" that is not a pair of numbers", key));
  return std::nullopt;
}

const Json* JsonFields::list_at(const Json& from, const char* key, bool required) {
  const Json* value = at(from, key);
  if (value == nullptr && required) wrong(kIt, fmt::format("has no list \"{}\"", key));
  if (value == nullptr || value->is_array()) return value;
  wrong(kIt, fmt::format("has a \"{}\" that is not a list", key));
  return nullptr;
}

void JsonFields::texts(const Json& from, const char* key, std::vector<std::string>& out) {
  list(from, key, [&](const Json& item, const std::string& where) {
    if (!item.is_string()) return wrong(where, "is not text");
    out.push_back(item.get<std::string>());
  });
}

void JsonFields::numbers_in(const Json& items, const char* key, std::vector<double>& out) {
  if (!items.is_array()) return wrong(fmt::format("a \"{}\" is not a list of numbers", key));
  for (const Json& item : items) {
    if (!item.is_number()) return wrong(fmt::format("a \"{}\" is not a list of numbers", key));
    out.push_back(item.get<double>());
  }
}

void JsonFields::numbers(const Json& from, const char* key, std::vector<double>& out) {
  if (const Json* value = at(from, key)) numbers_in(*value, key, out);
}

void JsonFields::pairs(const Json& from, const char* key,
                       std::vector<std::pair<std::string, std::string>>& out) {
  for (const auto& [name, value] : object(from, key).items())
    for (const Json& one : value.is_array() ? value : Json::array({value})) {
      if (!one.is_string()) return wrong(fmt::format("{} is not text", in_quotes(name)));
      out.emplace_back(name, one.get<std::string>());
    }
}

}  // namespace strata
