#include "strata/profile/rows.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cost/layer_kind.h"
#include "profile/figures.h"
#include "profile/gather.h"
#include "profile/roof_place.h"
#include "strata/base/text_map.h"

namespace strata {

namespace {

// Blocks that a network's authors number say themselves what is an activation.
bool is_activation_row(const Row& row) {
  if (!row.block.empty()) return row.block.find(":act:") != row.block.npos;
  return is_activation(row.kind);
}

void keep_only(RowList& rows, RowChoice choice) {
  TextSet<std::string> seen;
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
  const RowList& list = rows.list;
  if (!list.empty() && std::all_of(list.begin(), list.end(),
                                   [&](const Row& row) { return row.dtype == list.front().dtype; }))
    totals.dtype = list.front().dtype;
  // Tensors inside a fused layer are not moved, and a choice leaves out rows: there the total is
  // that of the rows.
  const RowOptions& options = rows.options;
  FiguresSum sum;
  if (options.only != RowChoice::All || (options.fuse && options.report != ReportKind::Tree))
    for (const Row& row : list) sum.add(row.figures);
  else
    for (const Figures& figures : a.by_layer) sum.add(figures);
  totals.figures = sum.total();
  return totals;
}

// Rows without a number are left out of totals, so a total is unknown only for what it is itself.
void explain_unknown(const Figures& totals, std::vector<std::string>& notes) {
  const std::pair<std::string_view, const Expr*> figures[] = {
      {"parameters", &totals.params},
      {"bytes of parameters", &totals.param_bytes},
      {"MACs", &totals.macs.above()},
      {"FLOPs", &totals.flops.above()},
      {"bytes read", &totals.read_bytes.above()},
      {"bytes written", &totals.write_bytes.above()},
      {"energy", &totals.picojoules.above()},
      {"bytes of activations", &totals.activation_bytes}};
  std::vector<std::string_view> large, lengthy;
  for (const auto& [name, total] : figures)
    if (total->is_unknown()) (total->is_overflow() ? large : lengthy).push_back(name);
  if (!large.empty())
    notes.push_back(fmt::format("these totals are above 2^62, which is more than strata counts: {}",
                                fmt::join(large, ", ")));
  if (!lengthy.empty())
    notes.push_back(
        fmt::format("these totals are formulas that are too long: {}", fmt::join(lengthy, ", ")));
}

// In percent. A row that reaches less of what the machine allows is held up by neither arithmetic
// nor memory, but probably by overhead: starting kernels, waiting, a loop that is not vectorized.
constexpr double kMinOfRoof = 10;

void use_roofline(Row& row, const Roofline& roofline) {
  RoofPlace place = place_below(row.figures, roofline);
  row.bound = std::move(place.bound);
  row.of_roof = place.percent;
}

void use_roofline(Rows& rows, const Roofline& roofline) {
  const Row* least = nullptr;
  std::size_t neither = 0;
  for (Row& row : rows.list) {
    use_roofline(row, roofline);
    if (row.bound != "neither") continue;
    ++neither;
    if (least == nullptr || *row.of_roof < *least->of_roof) least = &row;
  }
  if (least == nullptr) return;
  rows.notes.push_back(fmt::format(
      "neither compute nor memory bounds {} row{}: below {:.0f} % of the roof it is probably "
      "overhead ({}: {:.2g} %)",
      neither, neither == 1 ? "" : "s", kMinOfRoof,
      least->layer.empty() ? least->type : least->layer, *least->of_roof));
}

}  // namespace

RoofPlace place_below(const Figures& figures, const Roofline& roofline) {
  RoofPlace place;
  const auto flops = figures.flops.number();
  const auto bytes = (figures.read_bytes + figures.write_bytes).number();
  if (!flops || !bytes || *flops <= 0 || *bytes <= 0) return place;
  const double intensity = *flops / *bytes;
  const bool compute = roofline.attainable(intensity) >= roofline.fp32_flops;
  if (figures.seconds && *figures.seconds > 0)
    place.percent = 100 * *flops / *figures.seconds / roofline.attainable(intensity);
  const bool neither = place.percent && *place.percent < kMinOfRoof;
  place.bound = neither ? "neither" : compute ? "compute" : "memory";
  return place;
}

bool Rows::has_repeated_calls() const {
  if (options.report != ReportKind::Tree && options.report != ReportKind::Leaves) return false;
  return std::any_of(list.begin(), list.end(),
                     [](const Row& row) { return row.calls > 1 && !row.functional; });
}

void add_totals(const Analysis& a, Rows& rows) {
  rows.totals = total_of(a, rows);
  explain_unknown(rows.totals.figures, rows.notes);
}

Rows make_rows(const Analysis& a, const RowOptions& options) {
  Rows rows;
  rows.options = options;
  gather_rows(a, rows);
  keep_only(rows.list, options.only);
  if (options.only != RowChoice::All) rows.hidden = 0;  // they are left out by choice
  for (std::uint32_t i = 0; i < rows.list.size(); ++i) rows.list[i].index = i;
  add_totals(a, rows);
  add_measured(a, rows);
  if (a.attached.roofline) use_roofline(rows, *a.attached.roofline);
  return rows;
}

}  // namespace strata
