// torchstat prints a table whose columns end about where their headings end; a row in which numbers
// were given commas later is shifted by them:
//          module name  input shape output shape   params memory(MB)            MAdd ...
// 0      encoder.conv1  4 1024 1024   64 512 512  12,608.0     64.00 6,576,668,672.0
#include "lint/grid.h"
#include "lint/number.h"
#include "lint/readers.h"

namespace strata::lint {

namespace {

struct Edge {
  std::string heading;
  std::size_t end;
};

bool is_header(std::string_view line) {
  return line.find("module name") != line.npos && line.find("MAdd") != line.npos;
}

// Headings and where they end. Those of two words are known.
std::vector<Edge> edges_of(std::string_view header) {
  std::vector<Edge> edges;
  std::size_t at = 0;
  while ((at = header.find_first_not_of(' ', at)) != header.npos) {
    std::size_t end = std::min(header.find(' ', at), header.size());
    for (std::string_view two : {"module name", "input shape", "output shape"})
      if (header.substr(at).starts_with(two)) end = at + two.size();
    edges.push_back({std::string(header.substr(at, end - at)), end});
    at = end;
  }
  return edges;
}

struct Token {
  std::string text;
  std::size_t end;
};

std::vector<Token> tokens_of(std::string_view line) {
  std::vector<Token> tokens;
  std::size_t at = 0;
  while ((at = line.find_first_not_of(' ', at)) != line.npos) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    tokens.push_back({std::string(line.substr(at, end - at)), end});
    at = end;
  }
  return tokens;
}

// Numbers are counted from the right, since only shapes have spaces in them: a size belongs to the
// first shape whose column it ends in. Empty if the line is not a row.
std::vector<std::string> cells_of(std::string_view line, const std::vector<Edge>& edges) {
  constexpr std::size_t kTexts = 3;  // name and two shapes
  constexpr std::size_t kShift = 2;
  const std::vector<Token> tokens = tokens_of(line);
  const std::size_t numbers = edges.size() - kTexts;
  if (tokens.size() < numbers + 1) return {};
  std::vector<std::string> cells(edges.size());
  const std::size_t first_number = tokens.size() - numbers;
  for (std::size_t i = 0; i < first_number; ++i) {
    const Token& token = tokens[i];
    if (i == 0 && token.text == "total") cells[0] = token.text;
    if (i == 1) cells[0] = token.text;
    if (i < 2) continue;
    std::string& shape = cells[token.end <= edges[1].end + kShift ? 1 : 2];
    shape += (shape.empty() ? "" : " ") + token.text;
  }
  for (std::size_t i = 0; i < numbers; ++i) cells[kTexts + i] = tokens[first_number + i].text;
  return cells;
}

}  // namespace

bool looks_like_torchstat(std::string_view text) {
  for (std::string_view line : lines_of(text.substr(0, 4096)))
    if (is_header(line)) return true;
  return false;
}

Result<Claims> read_torchstat(std::string_view text) {
  Grid grid;
  std::vector<Edge> edges;
  for (std::string_view line : lines_of(text)) {
    if (edges.empty()) {
      if (!is_header(line)) continue;
      edges = edges_of(line);
      if (edges.size() < 4 || edges[1].heading != "input shape" ||
          edges[2].heading != "output shape")
        return failure("its columns are not those of torchstat");
      for (const Edge& edge : edges) grid.headings.push_back(edge.heading);
      continue;
    }
    if (line.starts_with('=') || line.starts_with('-')) break;
    if (auto cells = cells_of(line, edges); !cells.empty()) grid.rows.push_back(std::move(cells));
  }
  auto table = claims_of_grid(grid);
  if (!table) return failure(table);
  Claims claims;
  claims.tables.push_back(std::move(*table));
  return claims;
}

}  // namespace strata::lint
