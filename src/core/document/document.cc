#include "strata/document/document.h"
#include "base/own_version.h"
#include "base/visible.h"

namespace strata {

Document new_document(std::string_view kind) {
  Document document;
  document.kind = std::string(kind);
  document.tool = "strata";
  document.version = own_version();
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

Section answer_section(std::string text) {
  Section section = lines_section(std::move(text));
  section.paragraph = section.answer = true;
  return section;
}

Section notes_section(const std::vector<Note>& notes) {
  std::string urgent, others;
  for (const Note& note : notes)
    (note.changes_answer ? urgent : others) += "Note: " + visible(note.text) + "\n";
  Section section = lines_section(std::move(urgent));
  section.asides = [text = std::move(others)](const TableStyle&) { return text; };
  section.apart = false;
  return section;
}

std::vector<Note> plain_notes(const std::vector<std::string>& sentences) {
  return {sentences.begin(), sentences.end()};
}

std::vector<Note> urgent_notes(const std::vector<std::string>& sentences) {
  std::vector<Note> notes;
  for (const std::string& sentence : sentences) notes.emplace_back(sentence, true);
  return notes;
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
