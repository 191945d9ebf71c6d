// A document as JSON. docs/json-schema.md describes it, data/schemas/ has a schema for each kind.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "document/json_layout.h"
#include "document/json_values.h"
#include "document/page_data.h"
#include "strata/document/render.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

// Writes an object member by member, and of a table row by row.
class Writer {
 public:
  Writer(const TableStyle& style, Sink& sink)
      : values_(style), has_rows_(style.rows), sink_(sink) {}

  void document(const Document& document) {
    open('{');
    member("kind", document.kind);
    member("schema", document.schema);
    Json tool = {{"name", document.tool}, {"version", document.version}};
    if (!document.command.empty())
      tool["command"] = fmt::format("{}", fmt::join(document.command, " "));
    member("tool", tool);
    member("options", values_.options(document.options));
    if (!document.machine.empty()) member("machine", values_.pairs(document.machine));
    begin_member("facts");
    open('{');
    for (const Member& fact : document.facts) member(fact.name, values_.value(fact.cell));
    close('}');
    begin_member("tables");
    open('{');
    for (const Table& one : document.tables) table(one);
    close('}');
    Json notes = Json::array();
    for (const Note& note : document.notes) notes.push_back(note.text);
    member("notes", notes);
    close('}');
    text_ += '\n';
    flush();
  }
  Status status() const { return status_; }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 16;

  void table(const Table& table) {
    begin_member(table.name);
    open('{');
    member("columns", values_.columns(table));
    begin_member("rows");
    open('[');
    if (has_rows_)
      for_each_row(table, [&](const TableRow& row) {
        next_line();
        add_json(text_, values_.row(table, row), level_);
        if (text_.size() >= kPiece) flush();
        return status_.has_value();
      });
    if (!status_) return;
    close(']');
    if (!table.totals.cells.empty()) member("totals", values_.totals(table));
    if (has_rows_ && !table.edges.reads.empty() && table.edges.reads.size() == row_count(table))
      member("edges", page_edges(table.edges));
    close('}');
  }

  void open(char bracket) {
    text_ += bracket;
    ++level_;
    first_ = true;
  }
  void close(char bracket) {
    --level_;
    if (!first_) text_ += "\n" + std::string(2 * level_, ' ');
    text_ += bracket;
    first_ = false;
  }
  void next_line() {
    if (!std::exchange(first_, false)) text_ += ',';
    text_ += "\n" + std::string(2 * level_, ' ');
  }
  void begin_member(const std::string& name) {
    next_line();
    add_json(text_, Json(name), level_);
    text_ += ": ";
  }
  void member(const std::string& name, const Json& value) {
    begin_member(name);
    add_json(text_, value, level_);
    if (text_.size() >= kPiece) flush();
  }
  void flush() {
    if (status_) status_ = sink_.write(text_);
    text_.clear();
  }

  const JsonValues values_;
  const bool has_rows_;
  Sink& sink_;
  std::string text_;
  std::size_t level_ = 0;
  bool first_ = true;  // nothing is in the innermost bracket yet
  Status status_;
};

}  // namespace

Status write_json(const Document& document, const TableStyle& style, Sink& sink) {
  Writer writer(style, sink);
  writer.document(document);
  return writer.status();
}

}  // namespace strata
