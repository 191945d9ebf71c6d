#include "read/openvino/xml.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/in_quotes.h"

namespace strata::openvino {

namespace {

constexpr std::size_t kDeepest = 200;
constexpr std::string_view kBlank = " \t\r\n";

bool is_in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == ':';
}

void add_utf8(std::string& out, std::uint32_t code) {
  const auto add = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      add(0xe0 | code >> 12);
    } else {
      add(0xf0 | code >> 18);
      add(0x80 | (code >> 12 & 0x3f));
    }
    add(0x80 | (code >> 6 & 0x3f));
  }
  add(0x80 | (code & 0x3f));
}

}  // namespace

void Xml::damaged(std::string_view what) const {
  throw Broken{
      fmt::format("it is damaged, or not downloaded to the end: at byte {}, {}", at_, what)};
}

void Xml::skip_past(std::string_view end) {
  const std::size_t found = bytes_.find(end, at_);
  if (found == bytes_.npos) damaged("a comment or a declaration has no end");
  at_ = found + end.size();
}

void Xml::skip_space() { at_ = std::min(bytes_.find_first_not_of(kBlank, at_), bytes_.size()); }

std::string_view Xml::read_name() {
  const std::size_t start = at_;
  while (at_ < bytes_.size() && is_in_name(bytes_[at_])) ++at_;
  if (at_ == start) damaged("a tag or an attribute has no name");
  return bytes_.substr(start, at_ - start);
}

std::string_view Xml::decoded(std::string_view value) {
  if (value.find('&') == value.npos) return value;
  loading_.count_text(value.size());
  constexpr std::pair<std::string_view, char> kReferences[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  std::string out;
  while (!value.empty()) {
    const std::size_t start = std::min(value.find('&'), value.size());
    out += value.substr(0, start);
    value.remove_prefix(start);
    if (value.empty()) break;
    const std::size_t end = value.find(';');
    if (end == value.npos) damaged("a reference has no end");
    std::string_view word = value.substr(1, end - 1);
    value.remove_prefix(end + 1);
    const auto* known = std::find_if(std::begin(kReferences), std::end(kReferences),
                                     [&](const auto& pair) { return pair.first == word; });
    if (known != std::end(kReferences)) {
      out += known->second;
      continue;
    }
    const bool is_number = word.starts_with('#');
    if (is_number) word.remove_prefix(1);
    const bool is_hex = is_number && word.starts_with('x');
    if (is_hex) word.remove_prefix(1);
    std::uint32_t code = 0;
    const auto [last, error] =
        std::from_chars(word.data(), word.data() + word.size(), code, is_hex ? 16 : 10);
    if (!is_number || word.empty() || error != std::errc() || last != word.data() + word.size() ||
        code > 0x10ffff)
      damaged(fmt::format("the reference to {} is none of XML's own", in_quotes(word)));
    add_utf8(out, code);
  }
  return loading_.model.keep(out);
}

void Xml::read_attributes() {
  attributes_.clear();
  for (skip_space(); at_ < bytes_.size(); skip_space()) {
    const char c = bytes_[at_];
    if (c == '>' || c == '/') return;
    XmlAttribute attribute{read_name(), {}};
    skip_space();
    if (at_ >= bytes_.size() || bytes_[at_] != '=') damaged("an attribute has no value");
    ++at_;
    skip_space();
    const char quote = at_ < bytes_.size() ? bytes_[at_] : '\0';
    if (quote != '"' && quote != '\'') damaged("the value of an attribute is not in quotes");
    const std::size_t end = bytes_.find(quote, ++at_);
    if (end == bytes_.npos) damaged("the value of an attribute has no end");
    attribute.value = decoded(bytes_.substr(at_, end - at_));
    at_ = end + 1;
    attributes_.push_back(attribute);
  }
  damaged("a tag has no end");
}

Xml::Event Xml::next() {
  if (closes_) {
    closes_ = false;
    text_ = {};
    name_ = open_.back();
    open_.pop_back();
    return Event::Close;
  }
  const std::size_t text_start = at_;
  while (true) {
    const std::size_t tag = bytes_.find('<', at_);
    if (tag == bytes_.npos) {
      at_ = bytes_.size();
      if (!open_.empty())
        damaged(fmt::format("the file ends inside of element {}", in_quotes(open_.back())));
      return Event::End;
    }
    text_ = bytes_.substr(text_start, tag - text_start);
    at_ = tag + 1;
    const std::string_view rest = bytes_.substr(at_);
    if (rest.starts_with('?'))
      skip_past("?>");
    else if (rest.starts_with("!--"))
      skip_past("-->");
    else if (rest.starts_with('!'))
      throw Broken{
          "it declares a document type or entities, which OpenVINO does not do and strata does not "
          "read"};
    else
      break;
  }
  const std::size_t first = text_.find_first_not_of(kBlank);
  text_ = first == text_.npos ? std::string_view()
                              : text_.substr(first, text_.find_last_not_of(kBlank) + 1 - first);
  const bool closes = at_ < bytes_.size() && bytes_[at_] == '/';
  if (closes) ++at_;
  name_ = read_name();
  if (closes) {
    skip_space();
    if (at_ >= bytes_.size() || bytes_[at_] != '>') damaged("a tag has no end");
    ++at_;
    if (open_.empty() || open_.back() != name_)
      damaged(fmt::format("element {} ends where it was not begun", in_quotes(name_)));
    open_.pop_back();
    return Event::Close;
  }
  read_attributes();
  closes_ = bytes_[at_] == '/';
  if (closes_) ++at_;
  if (at_ >= bytes_.size() || bytes_[at_] != '>') damaged("a tag has no end");
  ++at_;
  if (open_.size() >= kDeepest)
    throw Broken{fmt::format("its elements are nested more than {} deep", kDeepest),
                 Code::OverLimit};
  open_.push_back(name_);
  return Event::Open;
}

std::string_view Xml::attribute(std::string_view wanted) const {
  for (const XmlAttribute& attribute : attributes_)
    if (attribute.name == wanted) return attribute.value;
  return {};
}

void Xml::skip() {
  for (std::size_t depth = 1; depth > 0;) {
    const Event event = next();
    if (event == Event::End) return;
    depth = event == Event::Open ? depth + 1 : depth - 1;
  }
}

}  // namespace strata::openvino
