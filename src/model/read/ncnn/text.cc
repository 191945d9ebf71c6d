#include "read/ncnn/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/in_quotes.h"

namespace strata::ncnn {

namespace {

constexpr std::string_view kSpaces = " \t\r\f";
// Numbers of lists are written as this minus their own.
constexpr std::int64_t kListBase = -23300;
constexpr std::int64_t kMostBlobs = 1 << 16;

std::string_view next_word(std::string_view& rest) {
  const std::size_t start = std::min(rest.find_first_not_of(kSpaces), rest.size());
  rest.remove_prefix(start);
  const std::size_t end = std::min(rest.find_first_of(kSpaces), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end);
  return word;
}

std::optional<std::int64_t> whole_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<float> real_of(std::string_view text) {
  float number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() ||
      !std::isfinite(number))
    return std::nullopt;
  return number;
}

template <class Read>
auto list_of(std::string_view text, const Read& read) {
  std::vector<typename decltype(read(text))::value_type> items;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const auto item = read(text.substr(0, end));
    if (!item) return decltype(items)();
    items.push_back(*item);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return items;
}

}  // namespace

const Setting* Line::setting(std::int64_t number) const {
  for (const Setting& setting : settings)
    if (setting.number == number) return &setting;
  return nullptr;
}

std::int64_t Line::whole(std::int64_t number, std::int64_t otherwise) const {
  const Setting* found = setting(number);
  if (found == nullptr || found->is_list) return otherwise;
  return whole_of(found->text).value_or(otherwise);
}

float Line::real(std::int64_t number, float otherwise) const {
  const Setting* found = setting(number);
  if (found == nullptr || found->is_list) return otherwise;
  return real_of(found->text).value_or(otherwise);
}

std::vector<std::int64_t> Line::wholes(std::int64_t number) const {
  const Setting* found = setting(number);
  if (found == nullptr || !found->is_list) return {};
  return list_of(found->text, whole_of);
}

std::vector<float> Line::reals(std::int64_t number) const {
  const Setting* found = setting(number);
  if (found == nullptr || !found->is_list) return {};
  return list_of(found->text, real_of);
}

Text::Text(std::string_view bytes) : rest_(bytes) {
  next_line();  // the magic number, which was checked
  std::string_view line = next_line();
  const auto layers = whole_of(next_word(line)), blobs = whole_of(next_word(line));
  if (!layers || !blobs || *layers < 1 || *blobs < 1)
    throw Broken{"it is damaged: its second line does not state how many layers and blobs it has"};
  stated_ = *layers;
}

std::string_view Text::next_line() {
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  const std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  ++number_;
  return line;
}

bool Text::next(Line& line) {
  std::string_view words;
  while (words.empty()) {
    if (rest_.empty()) {
      if (seen_ != stated_)
        throw Broken{
            fmt::format("it is damaged, or not downloaded to the end: it states {} layers and has "
                        "{}",
                        stated_, seen_)};
      return false;
    }
    words = next_line();
    if (const auto start = words.find_first_not_of(kSpaces); start == words.npos)
      words = {};
    else if (words[start] == '#')  // a comment
      words = {};
  }
  const auto damaged = [&](std::string_view what) {
    return Broken{fmt::format("it is damaged: line {} {}", number_, what)};
  };
  ++seen_;
  line.inputs.clear();
  line.outputs.clear();
  line.settings.clear();
  line.type = next_word(words);
  line.name = next_word(words);
  if (line.type.starts_with("pnnx."))
    throw Broken{
        "it is a file of pnnx's own; give the .ncnn.param file that pnnx writes beside it"};
  const auto inputs = whole_of(next_word(words)), outputs = whole_of(next_word(words));
  if (!inputs || !outputs || *inputs < 0 || *outputs < 0)
    throw damaged("does not state how many blobs the layer reads and makes");
  if (*inputs > kMostBlobs || *outputs > kMostBlobs)
    throw damaged(fmt::format("has more than {} blobs", kMostBlobs));
  const auto read_names = [&](std::int64_t count, std::vector<std::string_view>& names) {
    for (std::int64_t i = 0; i < count; ++i) {
      names.push_back(next_word(words));
      if (names.back().empty()) throw damaged("names fewer blobs than it states");
    }
  };
  read_names(*inputs, line.inputs);
  read_names(*outputs, line.outputs);
  for (std::string_view word = next_word(words); !word.empty(); word = next_word(words)) {
    const std::size_t at = word.find('=');
    const auto number = whole_of(word.substr(0, at));
    if (at == word.npos || !number)
      throw damaged(
          fmt::format("has the setting {}, which is not a number=value", in_quotes(word)));
    Setting setting{*number, word.substr(at + 1)};
    if (*number <= kListBase) {
      // The count stands before the elements.
      setting.number = kListBase - *number;
      setting.is_list = true;
      const std::size_t comma = std::min(setting.text.find(','), setting.text.size());
      setting.text.remove_prefix(std::min(comma + 1, setting.text.size()));
    }
    line.settings.push_back(setting);
  }
  return true;
}

}  // namespace strata::ncnn
