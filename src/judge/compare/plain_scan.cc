#include "compare/plain_scan.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"

namespace strata::compare {

bool PlainScan::take_word(std::string_view word) {
  peek();
  if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

namespace {

// ASCII that stands for itself in a text.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain = {};
  for (std::size_t c = 0x20; c < 0x80; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

}  // namespace

void PlainScan::pass_plain() {
  while (true) {
    while (at_ != end_ && kPlain[static_cast<unsigned char>(*at_)]) ++at_;
    if (at_ == end_ || static_cast<unsigned char>(*at_) < 0x20) return refuse();
    if (static_cast<unsigned char>(*at_) < 0x80) return;
    const CodePoint point =
        first_code_point({at_, std::min<std::size_t>(4, static_cast<std::size_t>(end_ - at_))});
    if (!point.valid) return refuse();
    at_ += point.bytes;
  }
}

std::string_view PlainScan::plain_text() {
  need('"');
  const char* start = at_;
  if (good_) pass_plain();
  if (!good_ || *at_ != '"') return refuse(), std::string_view();
  return {start, static_cast<std::size_t>(at_++ - start)};
}

std::string_view PlainScan::text() {
  need('"');
  const char* start = at_;
  if (good_) pass_plain();
  if (!good_) return {};
  if (*at_ == '"') return {start, static_cast<std::size_t>(at_++ - start)};
  decoded_.assign(start, at_);
  while (good_ && *at_ == '\\') {
    decode_escape();
    start = at_;
    if (good_) pass_plain();
    if (good_) decoded_.append(start, at_);
  }
  if (!good_) return {};
  ++at_;
  return decoded_;
}

void PlainScan::decode_escape() {
  constexpr std::string_view kNames = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  if (++at_ == end_) return refuse();
  if (const std::size_t place = kNames.find(*at_); place != kNames.npos) {
    decoded_ += kMeanings[place];
    ++at_;
    return;
  }
  std::uint32_t code = 0;
  if (*at_ != 'u' || end_ - at_ < 5) return refuse();
  const auto read = std::from_chars(at_ + 1, at_ + 5, code, 16);
  if (read.ec != std::errc() || read.ptr != at_ + 5 || (code >= 0xd800 && code < 0xe000))
    return refuse();
  at_ += 5;
  const auto byte = [](std::uint32_t bits) { return static_cast<char>(bits); };
  if (code < 0x80) {
    decoded_ += byte(code);
  } else if (code < 0x800) {
    decoded_ += {byte(0xc0 | code >> 6), byte(0x80 | (code & 0x3f))};
  } else {
    decoded_ +=
        {byte(0xe0 | code >> 12), byte(0x80 | (code >> 6 & 0x3f)), byte(0x80 | (code & 0x3f))};
  }
}

PlainScan::Number PlainScan::number() {
  peek();
  const char* digits = at_ != end_ && *at_ == '-' ? at_ + 1 : at_;
  const auto is_digit = [&](const char* c) { return c < end_ && *c >= '0' && *c <= '9'; };
  if (!good_ || !is_digit(digits) || (*digits == '0' && is_digit(digits + 1)))
    return refuse(), Number();
  std::int64_t whole = 0;
  const auto read = std::from_chars(at_, end_, whole);
  if (read.ec != std::errc()) return refuse(), Number();
  if (read.ptr == end_ || (*read.ptr != '.' && *read.ptr != 'e' && *read.ptr != 'E')) {
    at_ = read.ptr;
    return {whole, static_cast<double>(whole)};
  }
  if (*read.ptr == '.' && !is_digit(read.ptr + 1)) return refuse(), Number();
  double real = 0;
  const auto exact = std::from_chars(at_, end_, real);
  if (exact.ec != std::errc() || exact.ptr == read.ptr || !is_digit(exact.ptr - 1) ||
      (exact.ptr != end_ && (*exact.ptr == 'e' || *exact.ptr == 'E' || *exact.ptr == '.')))
    return refuse(), Number();
  at_ = exact.ptr;
  return {std::nullopt, real};
}

void PlainScan::skip(int deepest) {
  if (deepest == 0) return refuse();
  switch (peek()) {
    case '"':
      text();
      break;
    case '{':
      object([&](std::string_view) { skip(deepest - 1); });
      break;
    case '[':
      list([&] { skip(deepest - 1); });
      break;
    case 't':
    case 'f':
    case 'n':
      if (!take_word("true") && !take_word("false") && !take_word("null")) refuse();
      break;
    default:
      number();
  }
}

void PlainScan::skip_unread() {
  int depth = 0;
  bool in_text = false;
  peek();
  for (; at_ != end_; ++at_) {
    if (in_text) {
      if (*at_ == '\\' && at_ + 1 != end_)
        ++at_;
      else if (*at_ == '"')
        in_text = false;
      continue;
    }
    const bool closes = *at_ == '}' || *at_ == ']';
    if (depth == 0 && (closes || *at_ == ',')) return;
    if (*at_ == '"') in_text = true;
    if (*at_ == '{' || *at_ == '[') ++depth;
    if (closes) --depth;
  }
  refuse();
}

}  // namespace strata::compare
