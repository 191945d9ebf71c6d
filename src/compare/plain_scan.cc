#include "compare/plain_scan.h"

namespace strata::compare {

bool PlainScan::take_word(std::string_view word) {
  peek();
  if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

std::string_view PlainScan::text() {
  need('"');
  const char* start = at_;
  while (at_ != end_ && *at_ >= 0x20 && *at_ < 0x7f && *at_ != '"' && *at_ != '\\') ++at_;
  if (!good_ || at_ == end_ || *at_ != '"') return refuse(), std::string_view();
  return {start, static_cast<std::size_t>(at_++ - start)};
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
