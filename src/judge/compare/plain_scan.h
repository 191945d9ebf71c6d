// Reads JSON as strata writes it. Whatever else comes is refused, for a slower reader to take. It
// exists because a table of 10,000 rows takes a reader of any JSON ten times as long as comparing
// it.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace strata::compare {

class PlainScan {
 public:
  explicit PlainScan(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  bool good() const { return good_; }
  void refuse() { good_ = false; }
  const char* place() const { return at_; }

  // The next character that is not a space; 0 at the end, and once anything was refused.
  char peek() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
    return good_ && at_ != end_ ? *at_ : '\0';
  }
  bool take(char expected) {
    if (peek() != expected) return false;
    ++at_;
    return true;
  }
  void need(char expected) {
    if (!take(expected)) refuse();
  }
  bool take_word(std::string_view word);

  // In quotes. Valid until the next one is read; half of a pair of surrogates is refused.
  std::string_view text();
  // One without escapes, which is a part of what is read.
  std::string_view plain_text();
  struct Number {
    std::optional<std::int64_t> whole;  // nullopt: a fraction, in `real`
    double real = 0;
  };
  Number number();
  // Any value, looked at as closely as one that is read.
  void skip(int deepest = 10);
  // Any value up to its end, with whatever is in it, for another reader to look at.
  void skip_unread();

  // The members of an object: `read(key)` takes each value.
  template <class Read>
  void object(const Read& read) {
    need('{');
    if (take('}')) return;
    do {
      const std::string_view key = plain_text();
      need(':');
      if (good_) read(key);
    } while (good_ && take(','));
    need('}');
  }
  template <class Read>
  void list(const Read& read) {
    need('[');
    if (take(']')) return;
    do read();
    while (good_ && take(','));
    need(']');
  }

 private:
  // Goes on to the quote or the backslash at which plain text ends.
  void pass_plain();
  void decode_escape();

  const char* at_;
  const char* end_;
  bool good_ = true;
  std::string decoded_;
};

}  // namespace strata::compare
