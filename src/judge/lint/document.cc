#include <fmt/format.h>

#include "base/visible.h"
#include "strata/lint/lint.h"

namespace strata::lint {

namespace {

std::string plural(std::size_t n, std::string_view word) {
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

std::string verdict(const Claims& claims, std::span<const Finding> findings) {
  std::size_t rows = 0;
  for (const ClaimTable& table : claims.tables) rows += table.rows.size();
  const std::string where =
      fmt::format("{} ({}, {})", visible(claims.file), claims.format, plural(rows, "row"));
  if (findings.empty())
    return fmt::format("No findings in {}: {} checks found nothing in what it states.\n", where,
                       checks().size());
  return fmt::format("{} in {}.\n", plural(findings.size(), "finding"), where);
}

// The text for people: one paragraph for each finding.
std::string paragraph(const Finding& finding) {
  std::string where;
  if (!finding.table.empty()) where = visible(finding.table);
  if (!finding.row.empty()) where += (where.empty() ? "" : ", ") + visible(finding.row);
  if (finding.rows.size() > 1) {
    const std::size_t more = finding.rows.size() - (finding.row.empty() ? 0 : 1);
    where += finding.row.empty()
                 ? fmt::format("{}{}", where.empty() ? "" : ", ", plural(more, "row"))
                 : fmt::format(" and {} more", more);
  }
  return fmt::format("{}{}{}\n  {}\n  Probably: {}.\n", finding.check, where.empty() ? "" : ": ",
                     where, visible(finding.evidence), visible(finding.meaning));
}

}  // namespace

Document lint_document(const Claims& claims, std::span<const Finding> findings) {
  Document document = new_document("lint");
  std::size_t rows = 0;
  for (const ClaimTable& table : claims.tables) rows += table.rows.size();
  document.facts = {{"file", FilePath{claims.file}},
                    {"format", claims.format},
                    {"tables", claims.tables.size()},
                    {"rows", rows},
                    {"checks", checks().size()},
                    {"peak_flops_per_s", claims.peak_flops_per_s},
                    {"peak_bytes_per_s", claims.peak_bytes_per_s}};
  Table table{.name = "findings",
              .columns = {{"check", "Check"},
                          {"table", "Table"},
                          {"row", "Row"},
                          {.name = "rows", .title = "Rows", .type = ColumnType::List},
                          {"evidence", "Evidence"},
                          {"meaning", "Probably"}}};
  document.sections = {answer_section(verdict(claims, findings))};
  for (const Finding& finding : findings) {
    table.rows.push_back({.cells = {finding.check, finding.table, finding.row,
                                    list_cell(finding.rows), finding.evidence, finding.meaning}});
    document.sections.push_back(lines_section(paragraph(finding)));
  }
  document.tables.push_back(std::move(table));
  document.notes = urgent_notes(claims.notes);
  if (!document.notes.empty()) {
    document.sections.push_back(notes_section(document.notes));
    document.sections.back().apart = true;
  }
  return document;
}

}  // namespace strata::lint
