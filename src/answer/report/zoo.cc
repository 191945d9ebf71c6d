#include "report/zoo.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace strata {

namespace {

std::string range_of(const zoo::Parameter& parameter) {
  switch (parameter.kind) {
    case zoo::ParameterKind::Size:
      return "a size, or a name for an open one";
    case zoo::ParameterKind::Whole:
      return fmt::format("{:.0f} to {:.0f}", parameter.least, parameter.most);
    case zoo::ParameterKind::Real:
      return fmt::format("{} to {}", parameter.least, parameter.most);
    case zoo::ParameterKind::Choice:
      return std::string(parameter.choices);
  }
  return "";
}

}  // namespace

Document networks_document() {
  Document document = new_document("zoo");
  Table table{
      .name = "networks",
      .columns = {{"network", "Network"}, {"summary", "Summary"}, {"parameters", "Parameters"}}};
  // One network alone is shown with its parameters, and what they mean.
  table.shown_columns = {table.columns[0], table.columns[1]};
  for (const zoo::Entry& entry : zoo::entries()) {
    std::vector<std::string> parameters;
    for (const zoo::Parameter& parameter : entry.parameters)
      parameters.push_back(fmt::format("{}={}", parameter.name, parameter.usual));
    TableRow row{.cells = {std::string(entry.name), std::string(entry.summary),
                           fmt::format("{}", fmt::join(parameters, " "))}};
    row.shown = {row.cells[0], row.cells[1]};
    table.rows.push_back(std::move(row));
  }
  document.tables.push_back(std::move(table));
  return document;
}

std::string network_to_text(const zoo::Entry& entry) {
  std::string out = fmt::format("{}: {}\n", entry.name, entry.summary);
  std::size_t width = 0;
  for (const zoo::Parameter& parameter : entry.parameters)
    width = std::max(width, parameter.name.size() + parameter.usual.size() + 1);
  for (const zoo::Parameter& parameter : entry.parameters)
    out += fmt::format("  {:<{}}  {} ({})\n", fmt::format("{}={}", parameter.name, parameter.usual),
                       width, parameter.help, range_of(parameter));
  return out;
}

}  // namespace strata
