#include "strata/profile/rows.h"

#include <algorithm>
#include <unordered_set>

#include "cost/layer_kind.h"
#include "profile/figures.h"
#include "profile/gather.h"

namespace strata {

namespace {

// Blocks that a network's authors number say themselves what is an activation.
bool is_activation_row(const Row& row) {
  if (!row.block.empty()) return row.block.find(":act:") != row.block.npos;
  return is_activation(row.kind);
}

void keep_only(std::vector<Row>& rows, RowChoice choice) {
  std::unordered_set<std::string> seen;
  const bool numbered =
      std::any_of(rows.begin(), rows.end(), [](const Row& row) { return !row.block.empty(); });
  std::erase_if(rows, [&](const Row& row) {
    switch (choice) {
      case RowChoice::All:
        return false;
      case RowChoice::Modules:
        return row.functional;
      case RowChoice::ModulesOnce:
        return row.functional || !seen.insert(row.layer).second;
      case RowChoice::Activations:
        return !is_activation_row(row) || (numbered && row.block.empty());
    }
    return false;
  });
}

Row total_of(const Analysis& a, const Rows& rows) {
  Row totals;
  totals.layer = "Total";
  const std::vector<Row>& list = rows.list;
  if (!list.empty() && std::all_of(list.begin(), list.end(),
                                   [&](const Row& row) { return row.dtype == list.front().dtype; }))
    totals.dtype = list.front().dtype;
  // What passes inside a fused layer is not moved, and a choice leaves out rows: there the
  // total is that of the rows.
  const RowOptions& options = rows.options;
  if (options.only != RowChoice::All || (options.fuse && options.report != ReportKind::Tree))
    for (const Row& row : list) add_to(totals.figures, row.figures);
  else
    for (const Figures& figures : a.by_layer) add_to(totals.figures, figures);
  return totals;
}

// The limit that a row meets first, where work and bytes are known.
void use_roofline(Row& row, const Roofline& roofline) {
  const auto flops = row.figures.flops.number();
  const auto bytes = (row.figures.read_bytes + row.figures.write_bytes).number();
  if (!flops || !bytes || *flops <= 0 || *bytes <= 0) return;
  const double intensity = *flops / *bytes;
  const bool compute = roofline.attainable(intensity) >= roofline.fp32_flops;
  row.bound = compute ? "compute" : "memory";
  if (row.figures.seconds && *row.figures.seconds > 0)
    row.of_roof = 100 * *flops / *row.figures.seconds / roofline.attainable(intensity);
}

}  // namespace

bool Rows::has_repeated_calls() const {
  if (options.report != ReportKind::Tree && options.report != ReportKind::Leaves) return false;
  return std::any_of(list.begin(), list.end(),
                     [](const Row& row) { return row.calls > 1 && !row.functional; });
}

Rows make_rows(const Analysis& a, const RowOptions& options) {
  Rows rows;
  rows.options = options;
  rows.list = gather_rows(a, options, rows.hidden);
  keep_only(rows.list, options.only);
  if (options.only != RowChoice::All) rows.hidden = 0;  // they are left out by choice
  for (std::uint32_t i = 0; i < rows.list.size(); ++i) rows.list[i].index = i;
  rows.totals = total_of(a, rows);
  add_measured(a, rows);
  if (a.attached.roofline)
    for (Row& row : rows.list) use_roofline(row, *a.attached.roofline);
  return rows;
}

}  // namespace strata
