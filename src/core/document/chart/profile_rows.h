// The rows of a profile that charts draw: those that hold no others.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/document/document.h"

namespace strata {

class ProfileRows {
 public:
  // Nothing if it is not a profile, or has fewer than two rows.
  static std::optional<ProfileRows> of(const Document& document);
  // Nothing either if rows are types of layers, or sorted: they are not along anything.
  static std::optional<ProfileRows> in_order(const Document& document);

  std::size_t size() const { return rows_.size(); }
  const std::string& model() const { return model_; }
  std::vector<std::string> paths() const;
  std::vector<std::optional<double>> numbers(std::string_view column) const;
  std::string text(std::size_t row, std::string_view column) const;
  Unit unit(std::string_view column) const;

 private:
  ProfileRows(const Document& document, std::vector<const TableRow*> rows);

  const Table* table_;
  std::vector<const TableRow*> rows_;
  std::string model_;
};

}  // namespace strata
