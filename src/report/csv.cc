#include <fmt/format.h>

#include "strata/report/report.h"

namespace strata {

namespace {

// RFC 4180: quoted if it holds a comma, a quote or a line break.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string out = "\"";
  for (const char ch : text) {
    if (ch == '"') out += '"';
    out += ch;
  }
  return out + "\"";
}

// Plain digits; a formula as text; nothing for unknown; `>=` before a lower bound.
std::string csv_cell(const Cell& cell) {
  std::string text;
  if (const auto* words = std::get_if<std::string>(&cell.value)) return quoted(*words);
  if (const auto* expr = std::get_if<Expr>(&cell.value))
    text = expr->is_unknown() ? "" : expr->text();
  if (const auto* real = std::get_if<double>(&cell.value)) text = fmt::format("{}", *real);
  if (text.empty() || cell.certainty == Certainty::Unknown) return "";
  return quoted(cell.certainty == Certainty::LowerBound ? ">=" + text : text);
}

}  // namespace

std::string to_csv(const Profile& profile) {
  std::string out;
  for (std::size_t i = 0; i < profile.columns.size(); ++i)
    out += (i == 0 ? "" : ",") + quoted(profile.columns[i].name);
  out += "\n";
  for (const ProfileRow& row : profile.rows) {
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      out += (i == 0 ? "" : ",") + csv_cell(row.cells[i]);
    out += "\n";
  }
  return out;
}

}  // namespace strata
