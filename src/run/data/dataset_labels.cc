#include "data/dataset_labels.h"

#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "base/mapped_file.h"

namespace strata {

namespace {

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) + 1 - first);
}

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view without_extension(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == path.npos || path.find('/', dot) != path.npos ? path : path.substr(0, dot);
}

}  // namespace

Result<Labels> read_labels(const std::string& path) {
  auto file = MappedFile::open(path);
  if (!file) return failure(file);
  Labels out;
  out.path = path;
  std::string_view rest = (*file)->bytes();
  if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);  // byte order mark
  for (int line = 1; !rest.empty(); ++line) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view text = trim(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (text.empty()) continue;
    const std::size_t comma = text.find_last_of(", \t");
    const auto label = integer(comma == text.npos ? text : trim(text.substr(comma + 1)));
    if (!label && line == 1) continue;  // titles
    const bool first = out.labels.empty();
    if (!label || (!first && (comma == text.npos) != out.names.empty()))
      return failure(
          fmt::format("{}: line {}: \"{}\" is neither a label (an integer) nor "
                      "name,label as in the lines before",
                      path, line, text.substr(0, 60)));
    out.labels.push_back(*label);
    if (comma == text.npos) continue;
    std::string_view name = trim(text.substr(0, comma));
    if (name.ends_with(',')) name = trim(name.substr(0, name.size() - 1));
    if (name.size() >= 2 && name.front() == '"' && name.back() == '"')
      name = name.substr(1, name.size() - 2);
    if (name.starts_with("./")) name.remove_prefix(2);
    out.names.emplace_back(name);
  }
  if (out.labels.empty()) return failure(fmt::format("{}: holds no labels", path));
  return out;
}

Result<MatchedLabels> match_labels(const Labels& labels, const InputItems& items) {
  MatchedLabels matched;
  matched.labels_ = &labels;
  matched.items_ = &items;
  if (labels.names.empty()) {
    if (static_cast<std::int64_t>(labels.labels.size()) != items.count())
      return failure(
          fmt::format("{}: holds {} labels and the data {} items; give one for each, or "
                      "lines with name,label",
                      labels.path, labels.labels.size(), items.count()));
    return matched;
  }
  for (std::size_t i = 0; i < labels.names.size(); ++i) {
    const auto [at, added] = matched.by_name_.emplace(labels.names[i], labels.labels[i]);
    if (!added && at->second != labels.labels[i])
      return failure(fmt::format("{}: \"{}\" has the labels {} and {}", labels.path,
                                 labels.names[i], at->second, labels.labels[i]));
  }
  for (const std::string& path : *items.files().paths) ++matched.same_last_part_[last_part(path)];
  return matched;
}

Result<std::int64_t> MatchedLabels::of(std::int64_t item) const {
  if (by_name_.empty()) return labels_->labels[static_cast<std::size_t>(item)];
  const std::size_t file = items_->file_of(item);
  const std::string& path = (*items_->files().paths)[file];
  if (items_->start(file + 1) - items_->start(file) > 1)
    return failure(
        fmt::format("{}: holds several items, and labels by name are for one; give one "
                    "label a line",
                    path));
  const auto find = [&](std::string_view name) {
    auto at = by_name_.find(name);
    return at != by_name_.end() ? at : by_name_.find(without_extension(name));
  };
  if (const auto at = find(path); at != by_name_.end()) return at->second;
  const std::string_view last = last_part(path);
  const auto at = find(last);
  if (at == by_name_.end())
    return failure(fmt::format("{}: has no label for {}", labels_->path, path));
  if (same_last_part_.at(last) > 1)
    return failure(
        fmt::format("{}: the label for \"{}\" could be of several files; give the path "
                    "below the folder ({})",
                    labels_->path, last, path));
  return at->second;
}

}  // namespace strata
