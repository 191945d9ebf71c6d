#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "document/json_layout.h"
#include "document/other_tools.h"
#include "document/row_values.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

// The first of the figures that any row has; what it is called, and what it is multiplied with.
struct Figure {
  const char *column, *name;
  double factor;
};
constexpr Figure kFigures[] = {
    {"time", "time (ms)", 1e3}, {"macs", "MACs", 1}, {"flops", "FLOPs", 1}};

bool has_any(const Table& table, const char* column) {
  for (const TableRow& row : table.rows)
    if (number_of(table, row, column).value_or(0) > 0) return true;
  return false;
}

const Figure* figure_of(const Document& document) {
  if (document.tables.empty()) return nullptr;
  for (const Figure& figure : kFigures)
    if (has_any(document.tables.front(), figure.column)) return &figure;
  return nullptr;
}

// The values of a node that has several rows add up. What is unknown is left out.
std::map<std::string, double> values_of(const Table& table, const Figure& figure) {
  std::map<std::string, double> values;
  for (const TableRow* row : leaves_of(table)) {
    const auto value = number_of(table, *row, figure.column);
    const std::string name = text_of(table, *row, "layer");
    if (value && !name.empty()) values[name] += *value * figure.factor;
  }
  return values;
}

}  // namespace

// Model Explorer finds nodes by their names in the file, which rows of nodes have.
Status write_model_explorer(const Document& document, const TableStyle&, Sink& sink) {
  const Figure* figure = figure_of(document);
  if (figure == nullptr)
    return failure(Code::NothingToShow, {}, "no row has a time or an amount of work to show");
  std::string text =
      fmt::format("{{\n  \"name\": \"strata: {}\",\n  \"results\": {{", figure->name);
  std::string_view comma = "";
  for (const auto& [name, value] : values_of(document.tables.front(), *figure)) {
    text += fmt::format("{}\n    ", comma);
    add_json(text, Json(name), 2);
    text += fmt::format(": {{\"value\": {}}}", value);
    comma = ",";
    if (Status status = sink.write(std::exchange(text, {})); !status) return status;
  }
  return sink.write(
      "\n  },\n  \"gradient\": [{\"stop\": 0, \"bgColor\": \"#ffffff\"}, "
      "{\"stop\": 1, \"bgColor\": \"#d55e00\"}]\n}\n");
}

}  // namespace strata
