// The output of a command: one document, which every renderer (strata/document/render.h) can show.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/document/table.h"

namespace strata {

// A sentence about the numbers. A terminal prints those that change the answer and counts the
// others, unless asked for all (TableStyle::notes); files have all.
struct Note {
  Note(std::string sentence, bool changes = false)  // NOLINT: sentences are notes
      : text(std::move(sentence)), changes_answer(changes) {}
  Note(const char* sentence) : text(sentence) {}  // NOLINT

  std::string text;
  bool changes_answer = false;
};

// A part of a document as people read it, in this order: a table, or lines.
struct Section {
  std::string table = {};  // by its name; empty: lines
  std::function<std::string(const TableStyle&)> lines = {};
  // Lines that follow, about how the numbers came about: notes that do not change the answer.
  std::function<std::string(const TableStyle&)> asides = {};
  bool paragraph = false;  // no list in Markdown
  bool verbatim = false;   // in columns of its own: never wrapped, a block of code in Markdown
  bool picture = false;    // bars and curves of characters: terminals only, never wrapped
  bool apart = true;       // an empty line before it
  bool answer = false;     // repeated at the end of an output that is longer than the terminal
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
  std::vector<std::string> command = {};  // that made it: `zoo`, `table`; empty: unknown
  // In the order given; an option given several times has one entry for each value.
  std::vector<std::pair<std::string, std::string>> options = {};
  std::vector<std::pair<std::string, std::string>> machine = {};  // empty: nothing was measured
  Members facts = {};  // what is not a table: the model, totals, verdicts
  std::vector<Table> tables = {};
  std::vector<Note> notes = {};
  // A sentence, if its rows were summed up or left out because there are too many to show. Charts
  // write it below the picture.
  std::string abridged = {};
  // The sections that people see. Empty: all tables, then the notes. CSV has the first table, and
  // the rows of others that have the same columns.
  std::vector<Section> sections = {};

  const Table* table(std::string_view name) const;
};

// Returns an empty document that names this version of strata.
Document new_document(std::string_view kind);
// `strata 0.2.0`, as programs name themselves, is a tool and its version.
void set_tool(Document& document, std::string_view program);

// Lines that do not depend on the style.
Section lines_section(std::string text);
// The answer in words, with which the output begins.
Section answer_section(std::string text);
// A line for each note, straight after what is before it.
Section notes_section(const std::vector<Note>& notes);
// The notes that the model, the counting or a measurement left behind: none changes the answer.
std::vector<Note> plain_notes(const std::vector<std::string>& sentences);
// Those of these that say why figures are not what they seem.
std::vector<Note> urgent_notes(const std::vector<std::string>& sentences);

// Chooses from the first table, which is the one that the document is about, and from those with
// the same columns.
Status choose(Document& document, const TableChoice& choice);
// Holds the rows of all tables.
void hold_rows(Document& document);
// Tables have the numbers that programs get, also where people usually see texts in their place.
void show_numbers(Document& document);

}  // namespace strata
