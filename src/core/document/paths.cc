#include "document/paths.h"

#include <algorithm>

namespace strata {

std::string without_folders(std::string_view path) {
  if (!path.starts_with('/')) return std::string(path);
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return std::string(path.substr(path.rfind('/') + 1));
}

std::string option_without_folders(std::string_view value) {
  constexpr std::string_view kBetween = ",=:";
  std::string out;
  while (true) {
    const std::size_t end = std::min(value.find_first_of(kBetween), value.size());
    out += without_folders(value.substr(0, end));
    if (end == value.size()) return out;
    out += value[end];
    value.remove_prefix(end + 1);
  }
}

Cell without_folders(const Cell& cell, const TableStyle& style) {
  const auto* path = std::get_if<FilePath>(&cell.value);
  if (path == nullptr || style.with_paths) return cell;
  return Cell(without_folders(path->text));
}

}  // namespace strata
