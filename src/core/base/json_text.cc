#include "base/json_text.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <nlohmann/json.hpp>

#include "strata/base/text_map.h"

namespace strata {

using Json = nlohmann::ordered_json;

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string json_text(const nlohmann::json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

namespace {

// Makes a tree of what the parser reads, in time proportional to the text. nlohmann's own compares
// every key with all before it in the same object, and with a callback it takes the square of the
// length of a list.
class TreeBuilder {
 public:
  explicit TreeBuilder(int deepest) : deepest_(static_cast<std::size_t>(std::max(deepest, 0))) {}

  Json take() { return std::move(root_); }

  // The parser calls these; each returns true to go on.
  bool null() { return add(nullptr); }
  bool boolean(bool truth) { return add(truth); }
  bool number_integer(std::int64_t number) { return add(number); }
  bool number_unsigned(std::uint64_t number) { return add(number); }
  bool number_float(double number, const std::string&) { return add(number); }
  bool string(std::string& text) { return add(std::move(text)); }
  bool binary(Json::binary_t& bytes) { return add(std::move(bytes)); }
  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& text) {
    key_ = std::move(text);
    return true;
  }
  bool parse_error(std::size_t bytes, const std::string&,
                   const nlohmann::detail::exception& error) {
    bytes_read = bytes;
    problem = error.what();
    return false;
  }

  // For a text that is not JSON: the bytes up to the first wrong one, and the fault.
  std::size_t bytes_read = 0;
  std::string problem;

 private:
  struct Level {
    Json* container;
    TextMap<std::string, std::size_t> places = {};  // of members; empty while there are few
  };

  bool open(Json container) {
    if (skipped_ > 0 || levels_.size() > deepest_)
      ++skipped_;
    else
      levels_.push_back({&place(std::move(container))});
    return true;
  }
  bool close() {
    if (skipped_ > 0)
      --skipped_;
    else
      levels_.pop_back();
    return true;
  }
  bool add(Json value) {
    if (skipped_ == 0 && levels_.size() <= deepest_) place(std::move(value));
    return true;
  }

  // Puts the value into the container that is open. Of two members with one key, the last counts.
  Json& place(Json value) {
    if (levels_.empty()) return root_ = std::move(value);
    Level& level = levels_.back();
    if (auto* list = level.container->get_ptr<Json::array_t*>())
      return list->emplace_back(std::move(value));
    auto& members = level.container->get_ref<Json::object_t&>();
    if (Json* known = find(level, members)) return *known = std::move(value);
    constexpr std::size_t kFew = 16;
    if (members.size() == kFew)
      for (std::size_t i = 0; i < kFew; ++i)
        level.places.emplace(members.begin()[static_cast<std::ptrdiff_t>(i)].first, i);
    if (members.size() >= kFew) level.places.emplace(key_, members.size());
    return members.emplace_back(std::move(key_), std::move(value)).second;
  }
  Json* find(const Level& level, Json::object_t& members) const {
    if (level.places.empty()) {
      for (auto& [key, value] : members)
        if (key == key_) return &value;
      return nullptr;
    }
    const auto known = level.places.find(key_);
    return known == level.places.end()
               ? nullptr
               : &members.begin()[static_cast<std::ptrdiff_t>(known->second)].second;
  }

  std::size_t deepest_;
  Json root_;
  std::vector<Level> levels_;
  std::size_t skipped_ = 0;  // containers that are open and too deep
  std::string key_;
};

}  // namespace

Json json_from_text(std::string_view text, int deepest) {
  TreeBuilder builder(deepest);
  if (!Json::sax_parse(text, &builder)) return Json(Json::value_t::discarded);
  return builder.take();
}

nlohmann::json sorted_json_from_text(std::string_view text) {
  return nlohmann::json::parse(text, nullptr, false);
}

std::size_t bytes_of_json(std::string_view text) {
  TreeBuilder builder(0);
  if (Json::sax_parse(text, &builder)) return text.size();
  return std::min(builder.bytes_read == 0 ? 0 : builder.bytes_read - 1, text.size());
}

Result<Json> parse_json(std::string_view text) {
  TreeBuilder builder(std::numeric_limits<int>::max());
  if (!Json::sax_parse(text, &builder)) return failure(builder.problem);
  return builder.take();
}

}  // namespace strata
