// What a command says: one document, which every renderer (strata/document/render.h) can show.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/document/table.h"

namespace strata {

// A part of a document as people read it, in this order: a table, or lines.
struct Section {
  std::string table = {};  // by its name; empty: lines
  std::function<std::string(const TableStyle&)> lines = {};
  bool paragraph = false;  // no list in Markdown
  bool verbatim = false;   // in columns of its own: never wrapped, a block of code in Markdown
  bool picture = false;    // bars and curves of characters: terminals only, never wrapped
  bool apart = true;       // an empty line before it
  Meaning meaning = Meaning::Plain;  // of its first line, which then stands out
};

struct Document {
  // `profile`, `bench`, `sensitivity`, `quantization`, `optimization`, `calibration`, `payload`,
  // `sweep`, `zoo_table`, `operators`, `engines`, `explanation`, `lint`, `diff`, `check`, `totals`:
  // the name of its schema.
  std::string kind;
  int schema = 2;            // of its kind; in 0.1, documents had no common form, and 1
  std::string tool = {};     // `strata`
  std::string version = {};  // `0.2.0`
  std::vector<std::pair<std::string, std::string>> options = {};  // as the caller gave them
  std::vector<std::pair<std::string, std::string>> machine = {};  // empty: nothing was measured
  Members facts = {};  // what is no table: the model, totals, verdicts
  std::vector<Table> tables = {};
  std::vector<std::string> notes = {};  // sentences
  // What people see. Empty: all tables, then the notes. CSV has the first table, and the rows of
  // others that have the same columns.
  std::vector<Section> sections = {};

  const Table* table(std::string_view name) const;
};

// Of this strata, with nothing in it yet.
Document new_document(std::string_view kind);
// `strata 0.2.0`, as programs name themselves, is a tool and its version.
void set_tool(Document& document, std::string_view program);

// Lines that do not depend on the style.
Section lines_section(std::string text);
// A line for each note, straight after what is before it.
Section notes_section(const std::vector<std::string>& notes);

// Chooses from the first table, which is the one that the document is about, and from those with
// the same columns.
Status choose(Document& document, const TableChoice& choice);
// Of all tables.
void hold_rows(Document& document);
// Tables have the numbers that programs get, also where people usually see texts in their place.
void show_numbers(Document& document);

}  // namespace strata
