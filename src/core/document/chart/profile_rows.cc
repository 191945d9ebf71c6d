#include "document/chart/profile_rows.h"

#include <algorithm>

#include "document/cell_text.h"
#include "document/paths.h"
#include "document/row_values.h"

namespace strata {

namespace {

std::string text_of_fact(const Cell* cell) {
  return cell == nullptr || cell->is_unknown() ? "" : cell_text(*cell, Unit::Text, true);
}

// The file without its folders, as titles name it.
std::string model_name(const Document& document) {
  const Cell* model = find_member(document.facts, "model");
  const Cell* path = model == nullptr ? nullptr : find_member(*model, "path");
  const std::string name = text_of_fact(path != nullptr ? path : model);
  return name.substr(name.rfind('/') + 1);  // npos + 1 is 0
}

}  // namespace

ProfileRows::ProfileRows(const Document& document, std::vector<const TableRow*> rows)
    : table_(&document.tables.front()), rows_(std::move(rows)), model_(model_name(document)) {}

std::optional<ProfileRows> ProfileRows::of(const Document& document) {
  if (document.kind != "profile" || document.tables.empty()) return std::nullopt;
  auto rows = leaves_of(document.tables.front());
  if (rows.size() < 2) return std::nullopt;
  return ProfileRows(document, std::move(rows));
}

std::optional<ProfileRows> ProfileRows::in_order(const Document& document) {
  const std::string report = text_of_fact(find_member(document.facts, "report"));
  const bool ordered =
      report == "tape" || report == "node" || report == "leaves" || report == "tree";
  const bool sorted =
      std::any_of(document.options.begin(), document.options.end(),
                  [](const auto& option) { return option.first.ends_with("sort"); });
  return ordered && !sorted ? of(document) : std::nullopt;
}

std::vector<std::string> ProfileRows::paths() const {
  std::vector<std::string> out;
  for (const TableRow* row : rows_) out.push_back(text_of(*table_, *row, "layer"));
  return out;
}

std::vector<std::optional<double>> ProfileRows::numbers(std::string_view column) const {
  std::vector<std::optional<double>> out;
  for (const TableRow* row : rows_) out.push_back(number_of(*table_, *row, column));
  return out;
}

std::string ProfileRows::text(std::size_t row, std::string_view column) const {
  return text_of(*table_, *rows_[row], column);
}

Unit ProfileRows::unit(std::string_view column) const {
  for (const Column& each : table_->columns)
    if (each.name == column) return each.unit;
  return Unit::Count;
}

}  // namespace strata
