// The one spelling of cells in JSON: docs/json-schema.md describes it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "strata/document/table.h"

namespace strata {

class JsonValues {
 public:
  explicit JsonValues(const TableStyle& style) : style_(style) {}

  nlohmann::ordered_json value(const Cell& cell) const;
  nlohmann::ordered_json members(const Members& given) const;
  nlohmann::ordered_json pairs(const std::vector<std::pair<std::string, std::string>>& given) const;
  // Like above; the values of a name that is there more than once are a list.
  nlohmann::ordered_json options(
      const std::vector<std::pair<std::string, std::string>>& given) const;
  nlohmann::ordered_json columns(const Table& table) const;
  nlohmann::ordered_json row(const Table& table, const TableRow& row) const;
  nlohmann::ordered_json totals(const Table& table) const;

 private:
  std::string word(const std::string& text) const;  // without its folders
  nlohmann::ordered_json of(std::monostate) const { return nullptr; }
  nlohmann::ordered_json of(const std::string& text) const { return text; }
  nlohmann::ordered_json of(const Expr& expr) const;
  nlohmann::ordered_json of(double number) const;
  nlohmann::ordered_json of(bool truth) const { return truth; }
  nlohmann::ordered_json of(const Estimate& estimate) const;
  nlohmann::ordered_json of(const Shape& shape) const;
  nlohmann::ordered_json of(const FilePath& path) const;
  nlohmann::ordered_json of(const Cells& list) const;
  nlohmann::ordered_json of(const Members& given) const { return members(given); }
  void add_cell(nlohmann::ordered_json& row, const Column& column, const Cell& cell) const;

  const TableStyle& style_;
};

}  // namespace strata
