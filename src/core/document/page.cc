// A document as one HTML file that asks for nothing else. Its script and style are the files of
// assets/page/.
#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/embedded.h"
#include "base/sha256.h"
#include "document/page_data.h"
#include "strata/document/pages.h"
#include "strata/document/render.h"

namespace strata {

namespace {

// A script, and the kinds of documents that need it, with spaces between; empty: all do.
struct Script {
  std::string_view name, kinds = {};
};
// In this order: a file uses what is above it.
constexpr Script kScripts[] = {
    {"dom"},
    {"format"},
    {"data"},
    {"selection"},
    {"tree"},
    {"columns"},
    {"table_rows"},
    {"table"},
    {"table_tools"},
    {"facts"},
    {"axis"},
    {"stages"},
    {"along"},
    {"kinds"},
    {"treemap"},
    {"timeline"},
    {"graph_layout"},
    {"graph_boxes"},
    {"graph"},
    {"graph_input"},
    {"graph_paint"},
    {"graph_svg"},
    {"roofline"},
    {"intervals", "bench sweep optimization sensitivity prediction"},
    {"cuts", "payload"},
    {"changes", "diff"},
    {"sentences"},
    {"answers"},
    {"detail"},
    {"llm_model", "llm"},
    {"llm", "llm"},
    {"page"},
};
constexpr std::string_view kStyles[] = {"page", "table", "chart", "graph"};

// Without comments that have lines of their own and without indentation: a page is mailed. No text
// in the files goes over several lines.
void add_compact(std::string& out, std::string_view file) {
  bool in_comment = false;
  while (!file.empty()) {
    const std::size_t end = std::min(file.find('\n'), file.size());
    std::string_view line = file.substr(0, end);
    file.remove_prefix(std::min(end + 1, file.size()));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const bool begins = line.starts_with("/*");
    if (in_comment || begins) {
      in_comment = line.find("*/") == line.npos;
    } else if (!line.empty() && !line.starts_with("//")) {
      out += line;
      out += '\n';
    }
  }
}

bool names_kind(std::string_view list, std::string_view kind) {
  return fmt::format(" {} ", list).find(fmt::format(" {} ", kind)) != std::string::npos;
}

void add_asset(std::string& out, std::string_view name, std::string_view ending) {
  add_compact(out, embedded_file(fmt::format("assets/page/{}{}", name, ending)).value_or(""));
}

// The scripts that documents of these kinds need.
std::string script_for(std::span<const Document> documents) {
  std::string out = "(() => {\n\"use strict\";\n";
  for (const Script& script : kScripts)
    if (script.kinds.empty() ||
        std::any_of(documents.begin(), documents.end(), [&](const Document& document) {
          return names_kind(script.kinds, document.kind);
        }))
      add_asset(out, script.name, ".js");
  return out + "})();\n";
}

std::string style_text() {
  std::string out;
  for (const std::string_view name : kStyles) add_asset(out, name, ".css");
  return out;
}

// Names a source the way a policy does.
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
  if (status && table.edges.reads.size() == table.rows.size() && !table.rows.empty())
    status = sink.write("],\n\"edges\":" + page_json(page_edges(table.edges)) + ",\"depths\":");
  else if (status)
    status = sink.write("],\n\"depths\":");
  if (!status) return status;
  const bool sums = !table.totals.cells.empty() || !table.totals.shown.empty();
  return sink.write(fmt::format("{},\"lists\":{},\"totals\":{}}}", page_json(depths),
                                page_json(page.lists(table)),
                                sums ? page_json(page.row(table.totals)) : "null"));
}

Status write_data(const Document& document, const TableStyle& style, Sink& sink) {
  std::string data = page_json(page_head(document, style));
  data.back() = ',';  // the tables follow before its bracket
  Status status = sink.write(data + "\n\"tables\":[");
  for (const Table& table : document.tables) {
    if (status && &table != document.tables.data()) status = sink.write(",\n");
    if (status) status = write_rows(table, style, sink);
  }
  if (status) status = sink.write("]}");
  return status;
}

// Around the data, which `write` adds.
template <class Write>
Status write_around(std::span<const Document> documents, Sink& sink, const Write& write) {
  const std::string script = script_for(documents);
  if (Status status = sink.write(head(script, style_text())); !status) return status;
  Status status = sink.write("<script id=\"data\" type=\"application/json\">");
  if (status) status = write();
  if (status) status = sink.write("</script>\n<script>" + script + "</script>\n</body>\n</html>\n");
  return status;
}

TableStyle page_style(TableStyle style) {
  style.width = 0;
  style.color = false;
  return style;
}

}  // namespace

Status write_page(const Document& document, const TableStyle& given, Sink& sink) {
  const TableStyle style = page_style(given);
  return write_around({&document, 1}, sink, [&] { return write_data(document, style, sink); });
}

Status write_pages(std::span<const Document> documents, const TableStyle& given, Sink& sink) {
  const TableStyle style = page_style(given);
  return write_around(documents, sink, [&] {
    Status status = sink.write("{\"documents\":[\n");
    for (std::size_t i = 0; i < documents.size() && status; ++i) {
      if (i > 0) status = sink.write(",\n");
      if (status) status = write_data(documents[i], style, sink);
    }
    if (status) status = sink.write("]}");
    return status;
  });
}

}  // namespace strata
