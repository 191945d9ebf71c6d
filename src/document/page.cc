// A document as one HTML file that asks for nothing else. Its script and style are the files of
// assets/page/.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/embedded.h"
#include "base/sha256.h"
#include "document/page_data.h"
#include "strata/document/render.h"

namespace strata {

namespace {

// In this order: a file uses what is above it.
constexpr std::string_view kScripts[] = {
    "dom",         "format",    "data", "selection", "tree",      "table_rows", "table",
    "table_tools", "facts",     "axis", "stages",    "along",     "treemap",    "timeline",
    "roofline",    "intervals", "cuts", "changes",   "sentences", "detail",     "page"};
constexpr std::string_view kStyles[] = {"page", "table", "chart"};

template <class Names>
std::string joined(const Names& names, std::string_view ending) {
  std::string out;
  for (const std::string_view name : names)
    out += embedded_file(fmt::format("assets/page/{}{}", name, ending)).value_or("");
  return out;
}

// As a policy names what it allows.
std::string source_of(std::string_view text) {
  return fmt::format("'sha256-{}'", base64(sha256(text)));
}

// Nothing is fetched or sent, and only this script and this style count, so that a name that got
// past every escape would still not run.
std::string head(std::string_view script, std::string_view style) {
  return fmt::format(
      "<!doctype html>\n"
      "<html lang=\"en\">\n"
      "<head>\n"
      "<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src {}; "
      "style-src {}; img-src data:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n"
      "<title>strata</title>\n"
      "<style>{}</style>\n"
      "</head>\n"
      "<body>\n"
      "<noscript>This page draws itself with the script that is in it: allow scripts to see "
      "it.</noscript>\n"
      "<main id=\"page\"></main>\n",
      source_of(script), source_of(style), style);
}

Status write_rows(const Table& table, const TableStyle& style, Sink& sink) {
  const PageTable page(table, style);
  nlohmann::ordered_json depths = nlohmann::ordered_json::array();
  Status status =
      sink.write(fmt::format("{{\"name\":{},\"tree\":{},\"columns\":{},\"rows\":[",
                             page_json(table.name), table.tree, page_json(page.columns())));
  for (std::size_t i = 0; i < table.rows.size() && status; ++i) {
    if (table.tree) depths.push_back(table.rows[i].depth);
    status = sink.write((i == 0 ? "\n" : ",\n") + page_json(page.row(table.rows[i])));
  }
  if (!status) return status;
  const bool sums = !table.totals.cells.empty() || !table.totals.shown.empty();
  return sink.write(fmt::format("],\n\"depths\":{},\"lists\":{},\"totals\":{}}}", page_json(depths),
                                page_json(page.lists(table)),
                                sums ? page_json(page.row(table.totals)) : "null"));
}

}  // namespace

Status write_page(const Document& document, const TableStyle& given, Sink& sink) {
  TableStyle style = given;
  style.width = 0;
  style.color = false;
  const std::string script = "(() => {\n\"use strict\";\n" + joined(kScripts, ".js") + "})();\n";
  if (Status status = sink.write(head(script, joined(kStyles, ".css"))); !status) return status;
  std::string data = page_json(page_head(document, style));
  data.back() = ',';  // the tables follow before its bracket
  Status status =
      sink.write("<script id=\"data\" type=\"application/json\">" + data + "\n\"tables\":[");
  for (const Table& table : document.tables) {
    if (status && &table != document.tables.data()) status = sink.write(",\n");
    if (status) status = write_rows(table, style, sink);
  }
  if (status) status = sink.write("]}</script>\n");
  if (status) status = sink.write("<script>" + script + "</script>\n</body>\n</html>\n");
  return status;
}

}  // namespace strata
