// Tables in HTML. Reads only the tags of tables and removes all others.
#include <cstdint>
#include <utility>

#include "lint/grid.h"
#include "lint/number.h"
#include "lint/readers.h"

namespace strata::lint {

namespace {

constexpr std::size_t kMaxTables = 1000;

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// `td` of `<td style="…">`, `/tr` of `</tr>`.
std::string tag_name(std::string_view tag) {
  std::string name;
  for (char c : tag) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || (c == '/' && !name.empty())) break;
    name += small(c);
  }
  return name;
}

struct Entity {
  std::string_view name, text;
};
constexpr Entity kEntities[] = {{"amp", "&"},   {"lt", "<"},   {"gt", ">"},
                                {"quot", "\""}, {"nbsp", " "}, {"times", "×"}};

// `&lt;` and the like. Others stay as they are.
std::string decoded(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t amp = std::min(text.find('&'), text.size());
    out += text.substr(0, amp);
    text.remove_prefix(amp);
    if (text.empty()) break;
    bool known = false;
    for (const Entity& entity : kEntities) {
      const std::string whole = "&" + std::string(entity.name) + ";";
      if (!text.starts_with(whole)) continue;
      out += entity.text;
      text.remove_prefix(whole.size());
      known = true;
      break;
    }
    if (known) continue;
    out += '&';
    text.remove_prefix(1);
  }
  return out;
}

// Collects the cells of all tables. A table within a cell is a table of its own.
class TableReader {
 public:
  void open(const std::string& tag) {
    if (tag == "table") {
      end_cell();
      if (grids_.size() < kMaxTables) grids_.emplace_back();
    } else if (tag == "td" || tag == "th") {
      end_cell();
      in_cell_ = true;
      heading_ = tag == "th";
    } else if (tag == "/td" || tag == "/th") {
      end_cell();
    } else if (tag == "/tr" || tag == "/table" || (tag == "tr" && !grids_.empty())) {
      end_row();
    }
  }
  void text(std::string_view piece) {
    if (in_cell_) cell_ += piece;
  }
  std::vector<Grid> finish() {
    end_row();
    return std::move(grids_);
  }

 private:
  void end_cell() {
    if (in_cell_) {
      cells_.emplace_back(trimmed(decoded(cell_)));
      all_headings_ = all_headings_ && heading_;
    }
    in_cell_ = false;
    cell_.clear();
  }
  void end_row() {
    end_cell();
    if (!cells_.empty() && !grids_.empty()) {
      Grid& grid = grids_.back();
      if (all_headings_ || grid.headings.empty())
        grid.headings = std::move(cells_);
      else
        grid.rows.push_back(std::move(cells_));
    }
    cells_.clear();
    all_headings_ = true;
  }

  std::vector<Grid> grids_;
  std::vector<std::string> cells_;
  std::string cell_;
  bool in_cell_ = false, heading_ = false, all_headings_ = true;
};

}  // namespace

bool looks_like_html(std::string_view text) {
  const std::string_view start = trimmed(text.substr(0, std::size_t{1} << 16));
  if (!start.starts_with('<')) return false;
  std::string small_start(start);
  for (char& c : small_start) c = small(c);
  return small_start.find("<table") != small_start.npos;
}

Result<Claims> read_html(std::string_view text) {
  TableReader reader;
  while (!text.empty()) {
    const std::size_t open = std::min(text.find('<'), text.size());
    reader.text(text.substr(0, open));
    text.remove_prefix(open);
    if (text.empty()) break;
    const std::size_t close = text.find('>');
    if (close == text.npos) break;
    reader.open(tag_name(text.substr(1, close - 1)));
    text.remove_prefix(close + 1);
  }
  auto tables = claims_of_grids(reader.finish());
  if (!tables) return failure(tables);
  return Claims{.file = {}, .format = {}, .tables = std::move(*tables)};
}

}  // namespace strata::lint
