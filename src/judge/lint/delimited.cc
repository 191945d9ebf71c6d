#include "lint/delimited.h"

#include <algorithm>

namespace strata::lint {

std::vector<std::vector<std::string>> delimited_rows(std::string_view text, char delimiter) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row(1);
  bool quoted = false;
  const auto end_row = [&] {
    if (row.size() > 1 || !row.front().empty()) rows.push_back(std::move(row));
    row.assign(1, "");
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"')
      row.back() += text[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == delimiter && !quoted)
      row.emplace_back();
    else if (c == '\n' && !quoted)
      end_row();
    else if (c != '\r')
      row.back() += c;
  }
  end_row();
  return rows;
}

char delimiter_of(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  char best = 0;
  std::ptrdiff_t most = 0;
  for (char delimiter : {',', ';', '\t'}) {
    const auto count = std::count(line.begin(), line.end(), delimiter);
    if (count > most) best = delimiter, most = count;
  }
  return best;
}

}  // namespace strata::lint
