// Fields of a JSON object that anybody may have written, taken out one by one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace strata {

// Keeps the first problem; what is read after it is empty. `where` names the object in the
// sentence of a problem.
class JsonFields {
 public:
  using Json = nlohmann::ordered_json;

  // `what` the whole is, and where it came from: `profile a.json`.
  explicit JsonFields(std::string what) : what_(std::move(what)) {}

  bool good() const { return problem_.empty(); }
  const std::string& problem() const { return problem_; }

  std::string sentence(std::string_view what) const { return fmt::format("{}: {}", what_, what); }
  void wrong(std::string_view where, std::string_view what) {
    if (problem_.empty()) problem_ = sentence(fmt::format("{} {}", where, what));
  }

  // The value at a key, nullptr if it is not there or something is wrong already.
  const Json* at(const Json& object, const char* key) const {
    if (!problem_.empty() || !object.is_object()) return nullptr;
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
  }

  std::string text(const Json& object, const char* key, std::string_view where) {
    const Json* value = at(object, key);
    if (value == nullptr) return "";
    if (!value->is_string()) wrong(where, fmt::format("has a \"{}\" that is no text", key));
    return value->is_string() ? value->get<std::string>() : "";
  }

  bool flag(const Json& object, const char* key, std::string_view where) {
    const Json* value = at(object, key);
    if (value == nullptr) return false;
    if (!value->is_boolean())
      wrong(where, fmt::format("has a \"{}\" that is neither true nor false", key));
    return value->is_boolean() && value->get<bool>();
  }

  std::int64_t whole(const Json& object, const char* key, std::string_view where,
                     bool required = false) {
    const Json* value = at(object, key);
    if (value == nullptr) {
      if (required) wrong(where, fmt::format("has no \"{}\"", key));
      return 0;
    }
    const auto number = whole_number(*value);
    if (!number) wrong(where, fmt::format("has a \"{}\" that is no whole number", key));
    return number.value_or(0);
  }

  std::uint64_t size(const Json& object, const char* key, std::string_view where) {
    const std::int64_t number = whole(object, key, where);
    if (number < 0) wrong(where, fmt::format("has a negative \"{}\"", key));
    return static_cast<std::uint64_t>(std::max<std::int64_t>(number, 0));
  }

  // 0 where there is none, or null.
  double real(const Json& object, const char* key, std::string_view where) {
    const Json* value = at(object, key);
    if (value == nullptr || value->is_null()) return 0;
    if (!value->is_number()) wrong(where, fmt::format("has a \"{}\" that is no number", key));
    return value->is_number() ? value->get<double>() : 0;
  }

  int count(const Json& object, const char* key, std::string_view where) {
    const std::uint64_t number = size(object, key, where);
    if (number > 1'000'000) wrong(where, fmt::format("has a \"{}\" out of all proportion", key));
    return problem_.empty() ? static_cast<int>(number) : 0;
  }

  // A list, each item of which `read` takes with the words that name it.
  template <class Read>
  void list(const Json& object, const char* key, const Read& read, bool required = false) {
    const Json* value = at(object, key);
    if (value == nullptr) {
      if (required) wrong("it", fmt::format("has no list \"{}\"", key));
      return;
    }
    if (!value->is_array()) return wrong("it", fmt::format("has a \"{}\" that is no list", key));
    std::size_t number = 0;
    for (const Json& item : *value) {
      if (!problem_.empty()) return;
      read(item, fmt::format("item {} of \"{}\"", ++number, key));
    }
  }

  void texts(const Json& object, const char* key, std::vector<std::string>& out) {
    list(object, key, [&](const Json& item, const std::string& where) {
      if (!item.is_string()) return wrong(where, "is no text");
      out.push_back(item.get<std::string>());
    });
  }

  static std::optional<std::int64_t> whole_number(const Json& value) {
    if (value.is_number_unsigned() &&
        value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
      return std::nullopt;
    return value.is_number_integer() ? std::optional(value.get<std::int64_t>()) : std::nullopt;
  }

 private:
  std::string what_;
  std::string problem_;
};

}  // namespace strata
