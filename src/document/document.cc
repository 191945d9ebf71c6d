#include "strata/document/document.h"
#include "base/visible.h"

namespace strata {

Document new_document(std::string_view kind) {
  Document document;
  document.kind = std::string(kind);
  document.tool = "strata";
  document.version = STRATA_VERSION;
  return document;
}

void set_tool(Document& document, std::string_view program) {
  const std::size_t space = program.rfind(' ');
  document.tool = std::string(program.substr(0, space));
  document.version = space == program.npos ? "" : std::string(program.substr(space + 1));
}

Section lines_section(std::string text) {
  return {.lines = [text = std::move(text)](const TableStyle&) { return text; }};
}

Section notes_section(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += "Note: " + visible(note) + "\n";
  Section section = lines_section(std::move(text));
  section.apart = false;
  return section;
}

const Table* Document::table(std::string_view wanted) const {
  for (const Table& table : tables)
    if (table.name == wanted) return &table;
  return nullptr;
}

Status choose(Document& document, const TableChoice& choice) {
  std::vector<std::string> first;
  const auto names = [](const Table& table) {
    std::vector<std::string> out;
    for (const Column& column : table.columns) out.push_back(column.name);
    return out;
  };
  if (!document.tables.empty()) first = names(document.tables.front());
  for (Table& table : document.tables) {
    if (names(table) != first) continue;
    if (auto status = choose(table, choice); !status) return status;
  }
  return {};
}

void hold_rows(Document& document) {
  for (Table& table : document.tables) hold_rows(table);
}

void show_numbers(Document& document) {
  for (Table& table : document.tables) {
    table.shown_columns.clear();
    for (TableRow& row : table.rows) row.shown.clear();
    table.totals.shown.clear();
  }
}

}  // namespace strata
