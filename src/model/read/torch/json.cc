#include "read/torch/json.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include <fmt/format.h>

namespace strata::torch {

namespace {

bool is_in_number(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

// Infinities and NaN, which JSON has no numbers for, as Python writes them.
bool is_no_number(std::string_view text, double& number) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text == "Infinity" || text == "inf")
    number = std::numeric_limits<double>::infinity();
  else if (text == "NaN" || text == "nan")
    number = std::numeric_limits<double>::quiet_NaN();
  else
    return false;
  if (negative) number = -number;
  return true;
}

// Half of a pair is not a character and is replaced.
void append_utf8(std::string& text, char32_t point) {
  if (point >= 0xd800 && point < 0xe000) point = 0xfffd;
  const auto add = [&](char32_t byte) { text += static_cast<char>(byte); };
  const auto follow = [&](int shift) { add(0x80 | ((point >> shift) & 0x3f)); };
  if (point < 0x80) {
    add(point);
  } else if (point < 0x800) {
    add(0xc0 | (point >> 6));
    follow(0);
  } else if (point < 0x10000) {
    add(0xe0 | (point >> 12));
    follow(6), follow(0);
  } else {
    add(0xf0 | (point >> 18));
    follow(12), follow(6), follow(0);
  }
}

}  // namespace

void JsonText::wrong(std::string_view what) const {
  throw Broken{fmt::format("{}: {} at byte {}", label_, what, at_ - begin_)};
}

char JsonText::peek_behind_space() {
  space();
  if (at_ == end_) wrong("the JSON text ends too early");
  return *at_;
}

void JsonText::lacks(char c) const { wrong(fmt::format("there is no '{}'", c)); }

void JsonText::expect_word(std::string_view word) {
  if (static_cast<std::size_t>(end_ - at_) < word.size() ||
      std::string_view(at_, word.size()) != word)
    wrong("there is no JSON value");
  at_ += word.size();
}

bool JsonText::take_null() {
  if (peek() != 'n') return false;
  expect_word("null");
  return true;
}

bool JsonText::boolean() {
  const bool value = peek() == 't';
  expect_word(value ? "true" : "false");
  return value;
}

std::int64_t JsonText::integer() {
  peek();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(at_, end_, value);
  if (error != std::errc() || (end != end_ && is_in_number(*end)))
    wrong("there is no whole number");
  at_ = end;
  return value;
}

double JsonText::number() {
  double value = 0;
  const char first = peek();
  if (first == '"') {
    if (!is_no_number(string(), value)) wrong("there is no number");
    return value;
  }
  const char* end = at_;
  while (end != end_ &&
         (is_in_number(*end) || (*end >= 'A' && *end <= 'Z') || (*end >= 'a' && *end <= 'z')))
    ++end;
  if (!is_no_number({at_, static_cast<std::size_t>(end - at_)}, value)) {
    const auto [stop, error] = std::from_chars(at_, end, value);
    // A number too large for a double is infinite, and one too small is 0.
    if (error == std::errc::result_out_of_range)
      value = std::strtod(std::string(at_, end).c_str(), nullptr);
    else if (error != std::errc() || stop != end)
      wrong("there is no number");
  }
  at_ = end;
  return value;
}

const char* JsonText::end_of_string(const char* at) {
  const char* const start = at;
  while (true) {
    at = static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end_ - at)));
    if (at == nullptr) wrong("a string is not closed");
    const char* before = at;
    while (before != start && before[-1] == '\\') --before;
    if ((at - before) % 2 == 0) return at;
    ++at;
  }
}

std::string_view JsonText::string() {
  expect('"');
  const char* const end = end_of_string(at_);
  const std::string_view raw(at_, static_cast<std::size_t>(end - at_));
  if (raw.find('\\') == std::string_view::npos) {
    at_ = end + 1;
    return raw;
  }
  const std::string_view text = decoded(raw);
  at_ = end + 1;
  return text;
}

std::uint32_t JsonText::code_unit(std::string_view raw, std::size_t at) const {
  std::uint32_t unit = 0;
  const char* const first = raw.data() + at;
  if (raw.size() - at < 4) wrong("an escape in a string is cut off");
  const auto [end, error] = std::from_chars(first, first + 4, unit, 16);
  if (error != std::errc() || end != first + 4) wrong("a string has a wrong escape");
  return unit;
}

std::string_view JsonText::decoded(std::string_view raw) {
  constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  std::string text;
  text.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      text += raw[i];
      continue;
    }
    const char letter = raw[++i];  // the closing quote is not escaped, so there is one
    if (const std::size_t known = kLetters.find(letter); known != std::string_view::npos) {
      text += kMeanings[known];
      continue;
    }
    if (letter != 'u') wrong("a string has a wrong escape");
    char32_t point = code_unit(raw, i + 1);
    i += 4;
    const bool is_first_half = point >= 0xd800 && point < 0xdc00;
    if (is_first_half && raw.substr(i + 1).starts_with("\\u")) {
      const std::uint32_t second = code_unit(raw, i + 3);
      if (second >= 0xdc00 && second < 0xe000) {
        point = 0x10000 + ((point - 0xd800) << 10) + (second - 0xdc00);
        i += 6;
      }
    }
    append_utf8(text, point);
  }
  return keeper_.keep(text);
}

std::string_view JsonText::skip() {
  const char first = peek();
  const char* const start = at_;
  if (first == '"') {
    at_ = end_of_string(at_ + 1) + 1;
  } else if (first == '{' || first == '[') {
    std::uint64_t depth = 0;
    do {
      while (at_ != end_ && *at_ != '"' && (*at_ | 0x20) != '{' && (*at_ | 0x20) != '}') ++at_;
      if (at_ == end_) wrong("the JSON text ends too early");
      const char c = *at_++;
      if (c == '"')
        at_ = end_of_string(at_) + 1;
      else
        depth += (c | 0x20) == '{' ? std::uint64_t{1} : ~std::uint64_t{0};
    } while (depth != 0);
  } else {
    while (at_ != end_ &&
           (is_in_number(*at_) || (*at_ >= 'A' && *at_ <= 'Z') || (*at_ >= 'a' && *at_ <= 'z')))
      ++at_;
    if (at_ == start) wrong("there is no JSON value");
  }
  return {start, static_cast<std::size_t>(at_ - start)};
}

JsonText JsonText::at(std::string_view value) const {
  JsonText inner = *this;
  inner.at_ = value.data();
  inner.end_ = value.data() + value.size();
  return inner;
}

void JsonText::expect_end() {
  space();
  if (at_ != end_) wrong("something follows the JSON text");
}

bool JsonObject::next() {
  if (json_.take('}')) return false;
  if (!first_) json_.expect(',');
  first_ = false;
  key_ = json_.string();
  json_.expect(':');
  return true;
}

bool JsonArray::next() {
  if (json_.take(']')) return false;
  if (!first_) json_.expect(',');
  first_ = false;
  json_.peek();
  return true;
}

}  // namespace strata::torch
