// The options of commands that print a table: how it looks and where it goes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/output.h"
#include "strata/document/render.h"

namespace strata::cli {

class Option;

struct TableOptions {
  std::string output;      // empty: stdout
  std::string kept_apart;  // a file with this ending holds something else; the table is printed
  bool exact = false;
  std::uint64_t most_bytes = 0;  // of the output; 0: any number

  // `formats` are those that the command can print, the default first. `destination` names the
  // option for the file: a command that writes a model, or results to go on with, has `--table`.
  void add_to(App& app,
              const std::vector<std::string>& formats = {"table", "csv", "json", "md", "html"},
              const std::string& destination = "-o,--output");
  // Of --columns, --sort, --top and --filter those that the command does not have itself.
  void add_choice(App& app);
  // For a command whose table has numbers to round.
  void add_exact(App& app);
  // For one that shows people texts in place of numbers, `1.41× [1.39, 1.43]`: the numbers, in the
  // columns that csv has.
  void add_exact_numbers(App& app);

  // `--format`, else by the ending of the file, else the default.
  std::string format() const;
  // Whether any of --columns, --sort, --top and --filter was given: rows and columns are wanted
  // then, also of a command that says the same in other words otherwise.
  bool chooses() const;
  bool is_data() const {
    return format() == "csv" || format() == "json";
  }  // every column and digit
  // Every row and column: those who read a page choose for themselves.
  bool has_all() const { return is_data() || format() == "html"; }
  TableStyle style() const;
  // Whether the file could be written: to be asked before the work, not after it. `kind` is that of
  // the document.
  Status check(std::string_view kind) const;
  // Renders the document with what was chosen of its first table, and writes it.
  Status write(Document document) const { return write(std::move(document), style()); }
  Status write(Document document, const TableStyle& style) const;
  // A page for people that is no document.
  Status write(const std::string& text) const;

 private:
  FileKind file_kind(std::string_view document_kind) const;
  std::string file() const;  // for the table; empty: stdout

  std::string format_;
  TableChoice choice_;
  App* app_ = nullptr;
  std::vector<std::string> formats_;
  std::size_t width_ = 0;
  bool with_paths_ = false, exact_means_numbers_ = false;
  Option* width_option_ = nullptr;
};

}  // namespace strata::cli
