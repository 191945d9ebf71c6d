// The one list of outputs. A command makes a document and does not know which of them is asked for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "strata/base/result.h"
#include "strata/document/document.h"

namespace strata {

struct Renderer {
  std::string_view name;     // for `--format`
  std::string_view endings;  // of files, with spaces between: `.md .markdown`
  std::string (*render)(const Document&, const TableStyle&);
  bool for_people;       // wraps, rounds and leaves out; else every column and every digit
  bool has_columns;      // chosen columns, a sorting, … have an effect
  bool is_for_terminal;  // width and colour have an effect
  std::string_view about;
};

std::span<const Renderer> renderers();
// `table, csv, json, md`
std::string renderer_names();
// The error lists the names.
Result<const Renderer*> find_renderer(std::string_view name);
// By the file's ending; nullptr if no renderer has it.
const Renderer* renderer_of_file(std::string_view path);

std::string render_table(const Document& document, const TableStyle& style = {});
std::string render_csv(const Document& document, const TableStyle& style = {});
std::string render_json(const Document& document, const TableStyle& style = {});
std::string render_markdown(const Document& document, const TableStyle& style = {});

}  // namespace strata
