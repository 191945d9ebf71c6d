#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "profile/gather.h"

namespace strata {

namespace {

// Each row stands for itself; in a tree the network's row stands for all.
bool is_flat(const Rows& rows) {
  return rows.options.report != ReportKind::Tree && rows.options.report != ReportKind::Root &&
         !rows.list.empty();
}

// Kernels that no layer asked for, and the time of an inference that is in no row.
RowList timed_beside(const Attached& attached, double in_layers) {
  RowList beside = attached.timed_beside;
  for (const Row& row : beside) in_layers += row.figures.seconds.value_or(0);
  if (attached.timing->recorded == 0) return beside;
  Row& outside = beside.emplace_back();
  outside.layer = "outside layers";
  outside.calls = 0;
  outside.figures.seconds = attached.timing->median - in_layers;
  return beside;
}

// Times so far, shares, and what intervals are made from.
void add_times(const Attached& attached, Rows& rows, RowList& beside) {
  const TimingFacts& timing = *attached.timing;
  rows.totals.figures.seconds = timing.median;
  rows.totals.figures.samples = timing.samples;
  rows.totals.sessions = attached.sessions;
  rows.totals.drift = attached.drift;
  double so_far = 0;
  for (Row& row : rows.list) {
    if (!row.figures.seconds) continue;
    row.seconds_so_far = so_far += *row.figures.seconds;
    row.time_share = 100 * *row.figures.seconds / timing.median;
  }
  for (RowList* list : {&rows.list, &beside})
    for (Row& row : *list) {
      row.sessions = attached.recorded_sessions;
      row.drift = attached.drift;
    }
  if (!is_flat(rows) && !rows.list.empty()) {  // the network's own row
    Row& network = rows.list.front();
    network.figures.seconds = rows.totals.figures.seconds;
    network.figures.samples = rows.totals.figures.samples;
    network.sessions = rows.totals.sessions;
  }
}

void add_note_below_zero(double outside, double whole, std::vector<std::string>& notes) {
  if (outside >= 0) return;
  notes.push_back(
      fmt::format("the time outside layers is negative: the recorded layers add up to {:.1f} % "
                  "more than a run without recording takes. The cost of recording is known only "
                  "roughly, or the machine changed its pace",
                  -100 * outside / whole));
}

void add_taken(Rows& rows, const RowList& beside) {
  Boxed<TakenMemory>& taken = rows.totals.figures.taken;
  if (!taken) taken.emplace();
  for (const Row& row : beside) {
    if (!row.figures.taken) continue;
    taken->allocated += row.figures.taken->allocated;
    taken->scratch += row.figures.taken->scratch;
    taken->peak = std::max(taken->peak, row.figures.taken->peak);
  }
  if (!is_flat(rows) && !rows.list.empty()) rows.list.front().figures.taken = taken;
}

// Moves kernels from `beside` to where they ran among the rows, if these are in running order.
void place(RowList& beside, Rows& rows) {
  const ReportKind report = rows.options.report;
  if (report != ReportKind::Tape && report != ReportKind::Node && report != ReportKind::Leaves)
    return;
  std::vector<std::pair<std::uint32_t, std::size_t>> places;  // of nodes in rows
  for (std::size_t i = 0; i < rows.list.size(); ++i) places.emplace_back(rows.list[i].node, i);
  std::sort(places.begin(), places.end());
  std::vector<std::vector<Row>> before(rows.list.size());
  RowList left;
  for (Row& row : beside) {
    const auto found =
        std::lower_bound(places.begin(), places.end(), std::pair(row.node, std::size_t{0}));
    if (row.node == kNone || found == places.end())
      left.push_back(std::move(row));
    else
      before[found->second].push_back(std::move(row));
  }
  if (left.size() == beside.size()) {
    beside = std::move(left);
    return;
  }
  RowList all;
  for (std::size_t i = 0; i < before.size(); ++i) {
    std::move(before[i].begin(), before[i].end(), std::back_inserter(all));
    all.push_back(std::move(rows.list[i]));
  }
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i].index = i;
  rows.list = std::move(all);
  beside = std::move(left);
}

void append(RowList beside, Rows& rows) {
  const ReportKind report = rows.options.report;
  if (report == ReportKind::None || report == ReportKind::Root) return;
  for (Row& row : beside) {
    row.depth = report == ReportKind::Tree ? 1 : 0;
    // Rows of types have no layers.
    if (report == ReportKind::Type && row.type.empty()) row.type = std::exchange(row.layer, {});
    rows.list.push_back(std::move(row));
  }
}

}  // namespace

void add_measured(const Analysis& a, Rows& rows) {
  const Attached& attached = a.attached;
  RowList beside;
  if (attached.timing) {
    // Rows of nodes have medians of their own.
    double in_rows = 0;
    for (const Row& row : rows.list) in_rows += row.figures.seconds.value_or(0);
    beside =
        timed_beside(attached, is_flat(rows) ? in_rows : rows.totals.figures.seconds.value_or(0));
    if (!beside.empty())
      add_note_below_zero(beside.back().figures.seconds.value_or(0), attached.timing->median,
                          rows.notes);
  }
  const bool whole = rows.options.only == RowChoice::All;
  if (whole) {  // what is beside layers is not a choice of them
    beside.insert(beside.end(), attached.traced_beside.begin(), attached.traced_beside.end());
    if (attached.taken) add_taken(rows, beside);
    place(beside, rows);
  }
  if (attached.timing) add_times(attached, rows, beside);
  if (whole) append(std::move(beside), rows);
}

}  // namespace strata
