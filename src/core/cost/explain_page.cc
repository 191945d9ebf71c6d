#include "cost/explain_page.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/visible.h"
#include "strata/base/number_text.h"

namespace strata::page {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Names of the network are safe to print; what paint() adds stays.
std::string visible_painted(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t own = 0;
    for (const std::string_view code : {"\x1b[1m", "\x1b[2m", "\x1b[36m", "\x1b[0m"})
      if (text.starts_with(code)) own = code.size();
    const std::size_t end = own > 0 ? own : std::min(text.find('\x1b', 1), text.size());
    out += own > 0 ? std::string(text.substr(0, own)) : visible(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

}  // namespace

std::string with_groups(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end == at) {
      out += text[at++];
      continue;
    }
    const char before = at == 0 ? ' ' : text[at - 1];
    const bool in_name = before == '_' || before == '.' || before == '^' ||
                         (before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z');
    for (std::size_t i = at; i < end; ++i) {
      if (!in_name && i > at && (end - i) % 3 == 0) out += ',';
      out += text[i];
    }
    at = end;
  }
  return out;
}

std::string exact(const Expr& expr) { return expr_text(expr, NumberStyle::Plain, true); }
std::string exact(const Amount& amount) {
  return amount.is_whole() ? exact(amount.above()) : with_groups(amount.text());
}

std::string bounded(const std::string& number, Certainty certainty) {
  if (certainty == Certainty::Unknown) return std::string(kUnknown);
  return certainty == Certainty::Exact ? number : "≥" + number;
}

std::string padded(std::string text, std::size_t width) {
  const std::size_t own = display_width(text);
  if (own < width) text.append(width - own, ' ');
  return text;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    std::string& line = lines.back();
    if (line.empty())
      line = word;
    else if (display_width(line) + 1 + display_width(word) <= width)
      line.append(" ").append(word);
    else
      lines.emplace_back(word);
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return lines;
}

void Page::line(std::string_view text) {
  fmt::format_to(std::back_inserter(out_), "{}\n", color_ ? visible_painted(text) : visible(text));
}

void Page::rule() {
  std::string bar;
  for (std::size_t i = 0; i < kRuleWidth; ++i) bar += "─";
  line(dim(bar));
}

void Page::labelled(std::string_view label, std::string_view text) {
  line(accent(padded(std::string(label), kLabelWidth)) + std::string(text));
}

void Page::derivation(std::string_view label, std::vector<std::string> steps) {
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string& step = steps[i];
    labelled(i == 0 ? label : "", "= " + (i + 1 == steps.size() ? bold(step) : step));
  }
}

std::string Page::paint(std::string_view code, std::string_view text) const {
  return color_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

}  // namespace strata::page
