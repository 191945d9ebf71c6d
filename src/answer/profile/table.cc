// Cells of typed rows under columns.
#include <fmt/format.h>

#include "profile/table.h"

#include "profile/figures.h"
#include "profile/summary.h"
#include "strata/profile/columns.h"

namespace strata {

namespace {

Cell share_cell(const Cell& part, const Cell& whole) {
  if (part.is_unknown()) return meaning(part.meaning, {});
  const auto number = [](const Cell& cell) -> std::optional<double> {
    if (const auto* exact = std::get_if<Expr>(&cell.value))
      if (exact->is_number()) return static_cast<double>(exact->value());
    if (const auto* real = std::get_if<double>(&cell.value)) return *real;
    return std::nullopt;
  };
  const auto a = number(part), b = number(whole);
  if (a && b)
    return {*b == 0 ? 0.0 : 100 * *a / *b, part.certainty};  // shares of an empty total are 0 %
  if (const auto* all = std::get_if<Expr>(&whole.value))
    if (const auto* some = std::get_if<Expr>(&part.value); some != nullptr && *some == *all)
      return {100.0, part.certainty};
  // Formulas with one common factor have a share that is a number.
  const auto* top = std::get_if<Expr>(&part.value);
  const auto* bottom = std::get_if<Expr>(&whole.value);
  if (top == nullptr || bottom == nullptr || bottom->is(0)) return {};
  if (top->is(0)) return {0.0, part.certainty};
  const auto top_terms = top->terms(), bottom_terms = bottom->terms();
  if (top_terms.size() != 1 || bottom_terms.size() != 1) return {};
  if (top_terms[0].product != bottom_terms[0].product) return {};
  return {100 * static_cast<double>(top_terms[0].coefficient) /
              static_cast<double>(bottom_terms[0].coefficient),
          part.certainty};
}

ProfileRow cells_of(const Row& row, std::span<const ChosenColumn> columns,
                    std::span<const Cell> totals) {
  ProfileRow out;
  set_cells(row, columns, totals, out);
  return out;
}

Column column_of(const ChosenColumn& chosen) {
  const ColumnRule& rule = *chosen.rule;
  if (chosen.share)
    return {.name = fmt::format("{}%", rule.name),
            .title = "%",
            .unit = Unit::Percent,
            .additive = true,
            .priority = chosen.asked ? 0 : rule.priority + 1,
            .share = true};
  return {.name = std::string(rule.name),
          .title = std::string(rule.title),
          .unit = rule.unit,
          .additive = rule.additive,
          .priority = chosen.asked ? 0 : rule.priority,
          .usual = rule.usual || chosen.asked,
          .asked = chosen.asked};
}

// Returns the facts about the model and its measurement, whatever the rows are.
Profile facts_of(const Analysis& a) {
  Profile profile;
  profile.model = a.facts;
  profile.convention = a.convention;
  profile.energy_model = a.energy_model;
  profile.memory = a.memory;
  profile.arena = a.arena;
  profile.device = a.device_facts;
  profile.timing = a.attached.timing;
  profile.taken = a.attached.taken;
  if (const auto& roofline = a.attached.roofline)
    profile.roofline = RooflineFacts{roofline->fp32_flops, roofline->bytes_per_second,
                                     roofline->threads, roofline->kernel};
  profile.machine = a.attached.machine;
  profile.symbols = a.symbols;
  profile.unknown_ops = a.costs.unknown_ops;
  return profile;
}

// Sums over all layers, whichever of them are rows.
Profile::LoadWork load_work_of(const Analysis& a) {
  Figures sum;
  for (const Figures& figures : a.by_layer) add_to(sum, figures);
  return {sum.load_macs.ceil(), sum.load_flops.ceil(), a.load_work};
}

}  // namespace

void set_cells(const Row& row, std::span<const ChosenColumn> columns, std::span<const Cell> totals,
               ProfileRow& out) {
  out.depth = row.depth;
  out.cells.resize(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    out.cells[i] = columns[i].rule->cell(row);
    if (columns[i].share && !totals.empty()) out.cells[i] = share_cell(out.cells[i], totals[i]);
  }
}

Profile profile_without_rows(const Analysis& a, const Rows& rows,
                             std::span<const ChosenColumn> columns) {
  Profile profile = facts_of(a);
  for (const auto* notes : {&a.model->notes, &a.attached.notes, &rows.notes, &a.costs.notes})
    profile.notes.insert(profile.notes.end(), notes->begin(), notes->end());
  if (a.device)
    profile.asides.insert(profile.asides.end(), a.device->notes.begin(), a.device->notes.end());
  if (rows.options.only == RowChoice::All) profile.summary = summary_of(a, rows.totals.figures);
  profile.report = rows.options.report;
  profile.hidden_rows = rows.hidden;
  profile.columns.reserve(columns.size());
  for (const ChosenColumn& column : columns) profile.columns.push_back(column_of(column));
  profile.rows.reserve(rows.list.size());
  if (a.costs.has_load_work) profile.load_work = load_work_of(a);
  return profile;
}

Profile make_profile(const Analysis& a, const Rows& rows, std::span<const ChosenColumn> columns) {
  Profile profile = profile_without_rows(a, rows, columns);
  const std::vector<Cell> totals = cells_of(rows.totals, columns, {}).cells;
  for (const Row& row : rows.list) profile.rows.push_back(cells_of(row, columns, totals));
  profile.totals = cells_of(rows.totals, columns, totals);
  return profile;
}

Profile make_profile(const Analysis& a, Rows&& rows, std::span<const ChosenColumn> columns) {
  Profile profile = profile_without_rows(a, rows, columns);
  const std::vector<Cell> totals = cells_of(rows.totals, columns, {}).cells;
  for (; !rows.list.empty(); rows.list.pop_front())
    profile.rows.push_back(cells_of(rows.list.front(), columns, totals));
  profile.totals = cells_of(rows.totals, columns, totals);
  return profile;
}

}  // namespace strata
