#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "strata/document/render.h"

namespace strata {

namespace {

constexpr std::array<Renderer, 5> kRenderers = {{
    {.name = "table",
     .endings = ".txt",
     .write = write_table,
     .for_people = true,
     .has_columns = true,
     .is_for_terminal = true,
     .about = "a table that fits the terminal"},
    {.name = "csv",
     .endings = ".csv",
     .write = write_csv,
     .for_people = false,
     .has_columns = true,
     .is_for_terminal = false,
     .about = "comma-separated values with every digit"},
    {.name = "json",
     .endings = ".json",
     .write = write_json,
     .for_people = false,
     .has_columns = true,
     .is_for_terminal = false,
     .about = "everything, as its schema describes it"},
    {.name = "md",
     .endings = ".md .markdown",
     .write = write_markdown,
     .for_people = true,
     .has_columns = true,
     .is_for_terminal = false,
     .about = "Markdown"},
    {.name = "html",
     .endings = ".html .htm",
     .write = write_page,
     .for_people = false,  // who reads it chooses columns and digits
     .has_columns = true,
     .is_for_terminal = false,
     .about = "one page with tables and charts, which needs no network"},
}};

// A word of a list with spaces between.
bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

}  // namespace

std::span<const Renderer> renderers() { return kRenderers; }

std::string renderer_names() {
  std::string names;
  for (const Renderer& renderer : kRenderers)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", renderer.name);
  return names;
}

Result<const Renderer*> find_renderer(std::string_view name) {
  for (const Renderer& renderer : kRenderers)
    if (renderer.name == name) return &renderer;
  return failure(fmt::format("there is no format \"{}\"; formats are: {}", name, renderer_names()),
                 ErrorKind::Usage);
}

const Renderer* renderer_of_file(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash != path.npos) path.remove_prefix(slash + 1);
  const std::size_t dot = path.rfind('.');
  if (dot == path.npos) return nullptr;
  std::string ending(path.substr(dot));
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const Renderer& renderer : kRenderers)
    if (has_word(renderer.endings, ending)) return &renderer;
  return nullptr;
}

}  // namespace strata
