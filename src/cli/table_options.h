// The options of commands that print a table: how it looks and where it goes.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "cli/command.h"
#include "cli/output.h"
#include "strata/document/render.h"

namespace strata::cli {

// What --exact asks for: nothing (there is no such option), every digit of what is rounded, or the
// numbers, in the columns that csv has, of a table that shows people texts: `1.41× [1.39, 1.43]`.
enum class Exact { Nothing, Digits, Numbers };

struct TableOptions {
  std::string output;      // empty: stdout
  std::string kept_apart;  // a file with this ending holds something else; the table is printed
  bool exact = false;

  // All of them but those that the command has itself. `destination` names the option for the file:
  // a command that writes a model, or results to go on with, has `--table`.
  void add_to(App& app, Exact means = Exact::Nothing, const char* destination = "--output");
  // For a command that lists things, or shows the one that its argument `name` says as text.
  // `thing` is what one of them is called; `lists` says whether many are asked for; null: if there
  // is no name.
  void add_to_list(App& app, std::string& name, const std::string& thing,
                   std::function<bool()> lists = nullptr);

  // Of a document about a file of so many bytes, it writes only so much; `--limit` is the factor.
  void limit_to(std::uint64_t file_bytes, double factor);

  // `--format`, else by the ending of the file, else a table.
  std::string_view format() const { return renderer().name; }
  // Whether any of --columns, --sort, --top and --filter was given: rows and columns are wanted
  // then, also of a command that says the same in other words otherwise.
  bool chooses() const;
  // Every row and column: programs want them, and those who read a page choose for themselves.
  bool has_all() const { return !renderer().for_people; }
  // What is in no usual table is wanted, too: for charts.
  bool in_depth() const { return renderer().in_depth; }
  bool is_data() const { return has_all() && format() != "html"; }  // also every digit
  TableStyle style() const;
  // Whether the file could be written: to be asked before the work, not after it. `kind` is that of
  // the document.
  Status check(std::string_view kind) const;
  // Renders the document with what was chosen of its first table, and writes it.
  Status write(Document document) const { return write(std::move(document), style()); }
  Status write(Document document, const TableStyle& style) const;
  // The same for the last thing that a command does, which then ends with `code`.
  Result<int> print(Document document, int code = kFine) const;
  // A page for people that is no document.
  Status write(const std::string& text) const;

 private:
  const Renderer& renderer() const;
  std::string file() const;  // for the table; empty: stdout

  std::string format_, chart_, color_ = "auto";
  TableChoice choice_;
  App* app_ = nullptr;
  std::size_t width_ = 0;
  std::uint64_t most_bytes_ = 0;  // of the output; 0: any number
  bool with_paths_ = false, exact_means_numbers_ = false;
};

}  // namespace strata::cli
