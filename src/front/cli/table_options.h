// The options of commands that print a table: how it looks and where it goes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "cli/command.h"
#include "cli/output.h"
#include "strata/document/render.h"

namespace strata::cli {

// The meaning of --exact: nothing (there is no such option), every digit of rounded numbers, or the
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

  // Limits the output for a file of this many bytes; `--limit` is the factor.
  void limit_to(std::uint64_t file_bytes, double factor);

  // `--format`, else by the ending of the file, else a table.
  std::string_view format() const { return renderer().name; }
  // True if any of --columns, --sort, --top and --filter was given: then rows and columns are
  // wanted, also from a command that otherwise says the same in other words.
  bool chooses() const;
  // Every row and column: programs want them, and those who read a page choose for themselves.
  bool has_all() const { return !renderer().for_people; }
  // True if columns beyond the usual tables are wanted, too: for charts.
  bool in_depth() const { return renderer().in_depth; }
  // The limit on rows of a table that nobody chose rows from; 0: any number.
  std::size_t most_rows() const {
    return top_ > 0 || !choice_.filter.empty() ? 0 : renderer().most_rows;
  }
  bool is_data() const { return has_all() && format() != "html"; }  // also every digit
  TableStyle style() const;
  // Checks that the file could be written: call it before the work, not after it. `kind` is that of
  // the document.
  Status check(std::string_view kind) const;
  Status check_ending() const;
  // Renders the document with what was chosen of its first table, and writes it.
  Status write(Document document) const { return write(std::move(document), style()); }
  Status write(Document document, const TableStyle& style) const;
  // Prints as the last step of a command, which then ends with `code`.
  Result<int> print(Document document, int code = kFine) const;
  // For a result that is not complete: a file of the user's stays as it is, and the result goes to
  // partial_path() beside it.
  Status write_partial(Document document) const {
    return write_partial(std::move(document), style());
  }
  Status write_partial(Document document, const TableStyle& style) const;
  // Ends a command that was interrupted: writes what there is, says where, returns kInterrupted.
  Result<int> print_partial(Document document) const;
  // The complete result is written: removes the partial one that this command has written before.
  void remove_partial() const;
  // A page for people that is not a document.
  Status write(const std::string& text) const;

 private:
  const Renderer& renderer() const;
  std::string file() const;  // for the table; empty: stdout
  Status write_to(const std::string& path, Document document, const TableStyle& style) const;

  std::string format_, chart_, color_ = "auto";
  TableChoice choice_;
  std::uint64_t top_ = 0;  // choice_.top; std::size_t is another type on macOS
  App* app_ = nullptr;
  std::uint64_t width_ = 0;
  std::uint64_t most_bytes_ = 0;  // of the output; 0: any number
  bool with_paths_ = false, exact_means_numbers_ = false, notes_ = false;
  mutable bool has_partial_ = false;  // this command has written it
};

// `bench.json.partial`
std::string partial_path(const std::string& file);
// `interrupted: what was measured is in bench.json.partial; bench.json was left as it was`
std::string partial_sentence(const std::string& file);

}  // namespace strata::cli
