#include "strata/profile/profile.h"

#include <algorithm>

#include <fmt/format.h>

#include "profile/layout.h"
#include "profile/row_by_row.h"
#include "strata/base/number_text.h"
#include "strata/document/render.h"
#include "strata/profile/analysis.h"

namespace strata {

namespace {

using Columns = std::vector<ChosenColumn>;

double sort_key(const Cell& cell) {
  if (const auto* real = std::get_if<double>(&cell.value)) return *real;
  if (const auto* exact = std::get_if<Expr>(&cell.value))
    return exact->evaluate([](std::string_view) { return std::optional(1.0); }).value_or(-1);
  return -1;
}

// Numbers fall, text rises.
void sort_by(RowList& rows, const ChosenColumn& by) {
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    const Cell left = by.rule->cell(a), right = by.rule->cell(b);
    if (by.rule->unit == Unit::Text)
      return std::get<std::string>(left.value) < std::get<std::string>(right.value);
    return sort_key(left) > sort_key(right);
  });
}

Status sort_rows(RowList& rows, std::string_view by, Needs has) {
  if (by.empty()) return {};
  const bool reversed = by.starts_with('-');
  const auto columns = choose_columns(by.substr(reversed ? 1 : 0), false, has);
  if (!columns) return failure(columns);
  if (columns->size() != 1) return failure(Code::SortNeedsOne, {.given = std::string(by)});
  sort_by(rows, columns->front());
  if (reversed) std::reverse(rows.begin(), rows.end());
  return {};
}

// The columns of another tool, as far as they can be filled.
Columns columns_of(const Layout& layout, Needs has) {
  Columns columns;
  for (const ColumnRule& rule : layout.columns)
    if (has.has(rule.needs)) columns.push_back({&rule, false});
  return columns;
}

// Leaves out what nobody asked for and what would say nothing in these rows.
void drop_idle_columns(const ProfileView& view, const Rows& rows, Needs has, Columns& columns) {
  const ReportKind report = rows.options.report;
  // Only calls have an entry and an exit.
  const bool calls =
      report != ReportKind::Node && report != ReportKind::Type && report != ReportKind::None;
  const bool averages = view.all_columns || rows.has_repeated_calls();
  std::erase_if(columns, [&](const ChosenColumn& column) {
    const ColumnRule& rule = *column.rule;
    if (view.columns.empty() && rule.additive && !has.has(rule.needs)) return true;
    if (column.asked) return false;
    if (rule.needs == Need::LoadWork && rows.totals.figures.load_flops.is(0)) return true;
    return (rule.of_calls && !averages) || (rule.needs == Need::CudaMemory && !calls);
  });
}

// One long name can be that of thousands of layers, such as those of a function that is called
// once; every cell with it would be a copy.
Status check_names(const Analysis& a, const Rows& rows) {
  std::uint64_t bytes = 0;
  for (const Row& row : rows.list) bytes += row.layer.size();
  if (bytes <= most_output_bytes(a.model->file_bytes, a.limit)) return {};
  return failure(
      Code::OverLimit, {},
      fmt::format("{}: the names of its {} rows have {} together, which is out of "
                  "proportion to the file",
                  a.model->path, rows.list.size(), human_bytes(static_cast<double>(bytes))));
}

Result<Profile> with_layout(const Analysis& a, const ProfileView& view) {
  const auto found = find_layout(view.layout);
  if (!found) return failure(found);
  const Layout& layout = **found;
  if (a.convention != layout.convention)
    return failure(fmt::format("the layout \"{}\" counts as {}, and the model was counted as {}",
                               layout.name, layout.convention, a.convention),
                   ErrorKind::Usage);
  Rows rows = make_rows(a, {.only = layout.rows});
  if (auto status = check_names(a, rows); !status) return failure(status);
  if (auto status = sort_rows(rows.list, view.sort, a.has); !status) return failure(status);
  Profile profile = make_profile(a, std::move(rows), columns_of(layout, a.has));
  for (Column& column : profile.columns) column.asked = true;  // the table of the other tool, whole
  return profile;
}

}  // namespace

bool Profile::is_exact() const {
  if (!unknown_ops.empty()) return false;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].additive && columns[i].unit != Unit::Percent &&
        (totals.cells[i].is_unknown() || totals.cells[i].certainty != Certainty::Exact))
      return false;
  return true;
}

Result<Profile> make_profile(const Analysis& a, const ProfileView& view) {
  auto columns = choose_columns(view.columns, view.all_columns, a.has, a.attached.optimized,
                                a.attached.missed);
  if (!columns) return failure(columns);
  if (!view.layout.empty()) return with_layout(a, view);
  if (can_go_row_by_row(a, view)) {
    RowNumbers numbers = number_rows(a, view.rows);
    // Otherwise check_names() has to look at the names themselves.
    if (most_name_bytes(a, numbers) <= most_output_bytes(a.model->file_bytes, a.limit)) {
      drop_idle_columns(view, numbers.rows, a.has, *columns);
      return make_row_by_row(a, std::move(numbers), *columns);
    }
  }
  Rows rows = make_rows(a, view.rows);
  if (auto status = check_names(a, rows); !status) return failure(status);
  if (auto status = sort_rows(rows.list, view.sort, a.has | a.attached.missed); !status)
    return failure(status);
  drop_idle_columns(view, rows, a.has, *columns);
  return make_profile(a, std::move(rows), *columns);
}

Result<Profile> make_profile(const Model& model, const Inference& inference,
                             const ProfileOptions& options) {
  const auto analysis = analyse_for(model, inference, options);
  if (!analysis) return failure(analysis);
  return make_profile(*analysis, options);
}

}  // namespace strata
