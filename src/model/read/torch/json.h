// JSON taken value by value from text that is in memory. Nothing is built from what is skipped, and
// strings are views of the text, so that reading costs little more than looking at every byte once.
#pragma once

#include <cstdint>
#include <string_view>

#include "read/torch/broken.h"
#include "strata/graph/graph.h"

namespace strata::torch {

class JsonText {
 public:
  // `keeper` keeps the strings that have to be decoded; `label` names the text in errors. Both and
  // the text must outlive this object.
  JsonText(Model& keeper, std::string_view text, std::string_view label)
      : keeper_(keeper),
        label_(label),
        begin_(text.data()),
        at_(begin_),
        end_(begin_ + text.size()) {}

  // The first character of the next value: `{`, `[`, `"`, `t`, `f`, `n`, or one of a number.
  char peek() {
    if (at_ != end_ && static_cast<unsigned char>(*at_) > ' ') [[likely]]
      return *at_;
    return peek_behind_space();
  }
  // Takes null; false if something else is next.
  bool take_null();
  bool boolean();
  // A whole number that fits into 64 bits; what has a fraction is an error.
  std::int64_t integer();
  // Any number. Infinities and NaN may also be strings, as PyTorch writes them.
  double number();
  std::string_view string();
  // Passes over a value and returns its text.
  std::string_view skip();
  // The text goes on with this JSON value, found elsewhere in the same text.
  JsonText at(std::string_view value) const;
  void expect_end();
  [[noreturn]] void wrong(std::string_view what) const;

 private:
  friend class JsonObject;
  friend class JsonArray;
  void space() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }
  char peek_behind_space();
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) [[unlikely]]
      lacks(c);
  }
  [[noreturn]] void lacks(char c) const;
  void expect_word(std::string_view word);
  const char* end_of_string(const char* at);  // of the closing quote
  std::string_view decoded(std::string_view raw);
  std::uint32_t code_unit(std::string_view raw, std::size_t at) const;

  Model& keeper_;
  std::string_view label_;
  const char* begin_;
  const char* at_;
  const char* end_;
};

// The members of an object: `for (JsonObject o(json); o.next();) … o.key() …`. Each value has to be
// taken or skipped.
class JsonObject {
 public:
  explicit JsonObject(JsonText& json) : json_(json) { json_.expect('{'); }
  bool next();
  std::string_view key() const { return key_; }

 private:
  JsonText& json_;
  std::string_view key_;
  bool first_ = true;
};

// The items of an array, in the same way.
class JsonArray {
 public:
  explicit JsonArray(JsonText& json) : json_(json) { json_.expect('['); }
  bool next();

 private:
  JsonText& json_;
  bool first_ = true;
};

}  // namespace strata::torch
