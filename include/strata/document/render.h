// The list of output formats. A command makes a document and does not know which format is asked
// for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "strata/base/result.h"
#include "strata/document/document.h"

namespace strata {

// Where a renderer writes to, piece by piece: a table of a million rows is never one text.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual Status write(std::string_view text) = 0;
};

// Collects the pieces.
class TextSink : public Sink {
 public:
  Status write(std::string_view text) override;
  std::string text;
};

// Passes on at most this many bytes; more is a failure.
class LimitedSink : public Sink {
 public:
  LimitedSink(Sink& to, std::uint64_t most_bytes) : to_(to), most_(most_bytes), left_(most_bytes) {}
  Status write(std::string_view text) override;

 private:
  Sink& to_;
  std::uint64_t most_, left_;
};

struct Renderer {
  std::string_view name;     // for `--format`
  std::string_view endings;  // of files, with spaces between: `.md .markdown`
  // Names, paths and sentences come from files: all of them are written so that a terminal, a
  // spreadsheet or a browser takes them for text.
  Status (*write)(const Document&, const TableStyle&, Sink&);
  bool for_people;       // wraps, rounds and leaves out; else every column and every digit
  bool has_columns;      // chosen columns, a sorting, … have an effect
  bool is_for_terminal;  // width and colour have an effect
  std::string_view about;
  std::string_view kinds = {};  // of documents that it can show, likewise; empty: all
  std::string_view mark = {};   // how JSON for another program begins, to recognise the file later
  bool row_by_row = false;    // reads a table's rows one after the other; else it needs hold_rows()
  bool in_depth = false;      // shows what is in no usual table, such as memory over time
  std::size_t most_rows = 0;  // of each table that it shows; 0: any number
};

std::span<const Renderer> renderers();
// `table, csv, json, md, …`
std::string renderer_names();
// Fails with a sentence if it cannot show documents of this kind.
Status check_kind(const Renderer& renderer, std::string_view kind);
// The error lists the names.
Result<const Renderer*> find_renderer(std::string_view name);
// Finds the renderer by the file's ending; nullptr if there is none.
const Renderer* renderer_of_file(std::string_view path);

// Renders a document into a file, which appears when it is complete. Replaces only an earlier
// output of the same kind.
Status save_document(const Document& document, const Renderer& renderer, const std::string& path,
                     const TableStyle& style = {});

// Returns how many bytes a document about a file of this size may have (docs/limits.md). Names of a
// few bytes can be repeated in every row of a large table, so that the output could be thousands of
// times the file. `factor` multiplies the limit.
std::uint64_t most_output_bytes(std::uint64_t file_bytes, double factor = 1);

Status write_table(const Document& document, const TableStyle& style, Sink& sink);
Status write_csv(const Document& document, const TableStyle& style, Sink& sink);
Status write_json(const Document& document, const TableStyle& style, Sink& sink);
Status write_markdown(const Document& document, const TableStyle& style, Sink& sink);
Status write_page(const Document& document, const TableStyle& style, Sink& sink);

// Renders the table as one text.
std::string render_table(const Document& document, const TableStyle& style = {});
std::string render_csv(const Document& document, const TableStyle& style = {});
std::string render_json(const Document& document, const TableStyle& style = {});
std::string render_markdown(const Document& document, const TableStyle& style = {});
std::string render_page(const Document& document, const TableStyle& style = {});

}  // namespace strata
