#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "document/other_tools.h"
#include "strata/document/render.h"

namespace strata {

namespace {

// A browser opens a page of this many rows at once, and a chart is a thousand points wide.
constexpr std::size_t kMaxDrawnRows = 20'000;

constexpr std::string_view kWithCharts =
    "profile bench sweep optimization sensitivity payload diff";

constexpr auto kRenderers = std::to_array<Renderer>({
    {.name = "table",
     .endings = ".txt",
     .write = write_table,
     .for_people = true,
     .has_columns = true,
     .is_for_terminal = true,
     .about = "a table that fits the terminal",
     .row_by_row = true},
    {.name = "csv",
     .endings = ".csv",
     .write = write_csv,
     .for_people = false,
     .has_columns = true,
     .is_for_terminal = false,
     .about = "comma-separated values with every digit",
     .row_by_row = true},
    {.name = "json",
     .endings = ".json",
     .write = write_json,
     .for_people = false,
     .has_columns = true,
     .is_for_terminal = false,
     .about = "everything, as its schema describes it",
     .row_by_row = true},
    {.name = "md",
     .endings = ".md .markdown",
     .write = write_markdown,
     .for_people = true,
     .has_columns = true,
     .is_for_terminal = false,
     .about = "Markdown",
     .row_by_row = true},
    {.name = "html",
     .endings = ".html .htm",
     .write = write_page,
     .for_people = false,  // who reads it chooses columns and digits
     .has_columns = true,
     .is_for_terminal = false,
     .about = "one page with tables and charts, which needs no network",
     .in_depth = true,
     .most_rows = kMaxDrawnRows},
    {.name = "excel",
     .endings = ".excel.csv",
     .write = write_excel,
     .for_people = false,
     .has_columns = true,
     .is_for_terminal = false,
     .about = "CSV that Excel opens as it is: UTF-8, titles with units",
     .row_by_row = true},
    {.name = "trace",
     .endings = ".trace.json",
     .write = write_trace,
     .for_people = false,
     .has_columns = false,
     .is_for_terminal = false,
     .about = "a measured run as Chrome's tracing and Perfetto show it",
     .kinds = "profile",
     .mark = "{\"otherData\":{\"tool\":\"strata ",
     .in_depth = true},
    {.name = "model-explorer",
     .endings = ".explorer.json",
     .write = write_model_explorer,
     .for_people = false,
     .has_columns = false,
     .is_for_terminal = false,
     .about = "time or work of nodes for Model Explorer",
     .kinds = "profile",
     .mark = "{\n  \"name\": \"strata: "},
    {.name = "svg",
     .endings = ".svg",
     .write = write_svg,
     .for_people = false,
     .has_columns = false,
     .is_for_terminal = false,
     .about = "a chart for a document, with text as text",
     .kinds = kWithCharts,
     .in_depth = true,
     .most_rows = kMaxDrawnRows},
    {.name = "png",
     .endings = ".png",
     .write = write_png,
     .for_people = false,
     .has_columns = false,
     .is_for_terminal = false,
     .about = "a chart as pixels",
     .kinds = kWithCharts,
     .in_depth = true,
     .most_rows = kMaxDrawnRows},
});

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

Status check_kind(const Renderer& renderer, std::string_view kind) {
  if (renderer.kinds.empty() || has_word(renderer.kinds, kind)) return {};
  return failure(fmt::format("a document of the kind \"{}\" cannot be shown as {}: {}", kind,
                             renderer.name, renderer.about),
                 ErrorKind::Usage);
}

// The longest ending counts: `.trace.json` is not a `.json`.
const Renderer* renderer_of_file(std::string_view path) {
  std::string name(path.substr(path.rfind('/') + 1));  // npos + 1 is 0
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (std::size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1))
    for (const Renderer& renderer : kRenderers)
      if (has_word(renderer.endings, std::string_view(name).substr(dot))) return &renderer;
  return nullptr;
}

}  // namespace strata
