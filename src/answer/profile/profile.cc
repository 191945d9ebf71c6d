#include "strata/profile/profile.h"

#include <algorithm>

#include <fmt/format.h>

#include "profile/gather.h"
#include "profile/layout.h"
#include "profile/row_by_row.h"
#include "profile/row_edges.h"
#include "strata/base/number_text.h"
#include "strata/document/render.h"
#include "strata/profile/analysis.h"

namespace strata {

namespace {

using Columns = std::vector<ChosenColumn>;

std::optional<double> sort_key(const Cell& cell) {
  if (const auto* real = std::get_if<double>(&cell.value)) return *real;
  if (const auto* exact = std::get_if<Expr>(&cell.value))
    return exact->evaluate([](std::string_view) { return std::optional(1.0); });
  return std::nullopt;
}

// Numbers fall, text rises; `reversed` is the other way round. Unknown numbers come last either
// way.
void sort_by(RowList& rows, const ChosenColumn& by, bool reversed) {
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    const Cell left = by.rule->cell(a), right = by.rule->cell(b);
    if (by.rule->unit == Unit::Text) {
      const auto &first = std::get<std::string>(left.value),
                 &second = std::get<std::string>(right.value);
      return reversed ? second < first : first < second;
    }
    const auto first = sort_key(left), second = sort_key(right);
    if (!first || !second) return first.has_value() && !second;
    return reversed ? *first < *second : *first > *second;
  });
}

Status sort_rows(RowList& rows, std::string_view by, Needs has) {
  if (by.empty()) return {};
  const bool reversed = by.starts_with('-');
  const auto columns = choose_columns(by.substr(reversed ? 1 : 0), false, has);
  if (!columns) return failure(columns);
  if (columns->size() != 1) return failure(Code::SortNeedsOne, {.given = std::string(by)});
  sort_by(rows, columns->front(), reversed);
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

// One long formula can be the size of thousands of tensors; every cell with it would be a copy.
Result<Rows> limited_rows(const Analysis& a, RowOptions options) {
  options.most_text_bytes = most_output_bytes(a.model->file_bytes, a.limit);
  Rows rows = make_rows(a, options);
  if (rows.text_bytes <= options.most_text_bytes) return rows;
  return failure(
      Code::OverLimit, {},
      fmt::format("{}: the names and sizes of its rows have more than {} together, which "
                  "is out of proportion to the file",
                  a.model->path, human_bytes(static_cast<double>(options.most_text_bytes))));
}

// The rows that a table with these options would have, or more.
std::size_t most_rows_of(const Analysis& a, const RowOptions& options) {
  std::size_t hidden = 0;
  switch (options.report) {
    case ReportKind::Tape:
    case ReportKind::Leaves:
      return listed_layers(a, options.all, hidden).size();
    case ReportKind::Node:
      return listed_nodes(a, options.all, hidden).size();
    case ReportKind::Tree:
      return 2 * a.model->scopes.size();  // a module, and what stands between modules in it
    default:
      return 0;
  }
}

// Returns the number of levels of the module tree that have at most this many rows.
std::uint32_t deepest_level(const Analysis& a, std::size_t most_rows) {
  std::vector<std::size_t> modules;  // by depth, from 1
  for (ScopeId scope = 1; scope < a.model->scopes.size(); ++scope) {
    std::size_t depth = 0;
    for (ScopeId at = scope; at != 0 && at != kNone; at = a.model->scopes[at].parent) ++depth;
    if (modules.size() < depth) modules.resize(depth);
    if (depth > 0) ++modules[depth - 1];
  }
  std::uint32_t level = 0;
  for (std::size_t rows = 2; level < modules.size(); ++level) {
    rows += 2 * modules[level];
    if (rows > most_rows) break;
  }
  return level;
}

// The view with fewer rows, and the sentence that says so; none if it has few enough.
std::string abridge(const Analysis& a, ProfileView& view) {
  if (view.most_rows == 0 || !view.layout.empty()) return {};
  const std::size_t rows = most_rows_of(a, view.rows);
  if (rows <= view.most_rows) return {};
  const std::uint32_t level = deepest_level(a, view.most_rows);
  view.rows.fuse = false;
  view.rows.only = RowChoice::All;
  std::string how;
  if (level > 0) {
    view.rows.report = ReportKind::Tree;
    view.rows.depth = std::min(level, view.rows.depth);
    how =
        fmt::format("by module, {} level{} deep", view.rows.depth, view.rows.depth == 1 ? "" : "s");
  } else {
    view.rows.report = ReportKind::Type;
    how = "by type";
  }
  return fmt::format(
      "its {} rows are summed up {}, because a page or a chart shows at most {}; CSV and JSON have "
      "every row",
      grouped(static_cast<std::int64_t>(rows)), how,
      grouped(static_cast<std::int64_t>(view.most_rows)));
}

Result<Profile> with_layout(const Analysis& a, const ProfileView& view) {
  const auto found = find_layout(view.layout);
  if (!found) return failure(found);
  const Layout& layout = **found;
  if (a.convention != layout.convention)
    return failure(fmt::format("the layout \"{}\" counts as {}, and the model was counted as {}",
                               layout.name, layout.convention, a.convention),
                   ErrorKind::Usage);
  auto rows = limited_rows(a, {.only = layout.rows});
  if (!rows) return failure(rows);
  if (auto status = sort_rows(rows->list, view.sort, a.has); !status) return failure(status);
  Profile profile = make_profile(a, std::move(*rows), columns_of(layout, a.has));
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

// True if a page is made of the profile, or may be made of what is saved.
static bool has_edges(const Analysis& a, const ProfileView& view) {
  return a.has.has(Need::Alive) || view.all_columns;
}

Result<Profile> make_profile(const Analysis& a, const ProfileView& given) {
  ProfileView view = given;
  std::string abridged = abridge(a, view);
  auto columns = choose_columns(view.columns, view.all_columns, a.has, a.attached.optimized,
                                a.attached.missed);
  if (!columns) return failure(columns);
  if (!view.layout.empty()) return with_layout(a, view);
  if (can_go_row_by_row(a, view)) {
    RowNumbers numbers = number_rows(a, view.rows);
    // Otherwise limited_rows() has to look at the names themselves.
    if (most_name_bytes(a, numbers) <= most_output_bytes(a.model->file_bytes, a.limit)) {
      drop_idle_columns(view, numbers.rows, a.has, *columns);
      RowEdges edges =
          has_edges(a, view) ? row_edges(a, view.rows.report, numbers.listed) : RowEdges();
      Profile profile = make_row_by_row(a, std::move(numbers), *columns);
      profile.edges = std::move(edges);
      return profile;
    }
  }
  auto rows = limited_rows(a, view.rows);
  if (!rows) return failure(rows);
  if (auto status = sort_rows(rows->list, view.sort, a.has | a.attached.missed); !status)
    return failure(status);
  drop_idle_columns(view, *rows, a.has, *columns);
  RowEdges edges = has_edges(a, view) ? row_edges(a, *rows) : RowEdges();
  Profile profile = make_profile(a, std::move(*rows), *columns);
  profile.edges = std::move(edges);
  if (!abridged.empty()) profile.notes.insert(profile.notes.begin(), abridged);
  profile.abridged = std::move(abridged);
  return profile;
}

Result<Profile> make_profile(const Model& model, const Inference& inference,
                             const ProfileOptions& options) {
  const auto analysis = analyse_for(model, inference, options);
  if (!analysis) return failure(analysis);
  return make_profile(*analysis, options);
}

}  // namespace strata
