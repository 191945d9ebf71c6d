#include "strata/compare/document.h"

#include <algorithm>
#include <memory>
#include <span>

#include <fmt/format.h>

#include "base/visible.h"
#include "compare/tables.h"
#include "compare/text.h"
#include "compare/where.h"

namespace strata::compare {

namespace {

// Shown in the first sentence.
constexpr Measure kHeadline[] = {Measure::Params, Measure::Macs, Measure::Peak, Measure::Latency,
                                 Measure::Quality};
constexpr Measure kHeadlineOfWeights[] = {Measure::Params, Measure::ParamBytes};
constexpr RowChange kChanges[] = {RowChange::Changed,  RowChange::Renamed,   RowChange::Moved,
                                  RowChange::Inserted, RowChange::Removed,   RowChange::Fused,
                                  RowChange::Split,    RowChange::Regrouped, RowChange::Folded,
                                  RowChange::Unfolded};

std::string headline_of(const Change& change, const MeasureFacts& facts) {
  const std::string_view title = facts.title;
  if (change.verdict == Verdict::Same) return "";
  if (change.verdict == Verdict::NotShown) return fmt::format("{} no difference shown", title);
  if (change.verdict == Verdict::Unknown) return fmt::format("{} is unknown", title);
  if (change.ratio) return fmt::format("{} {}", title, percent_text(*change.ratio));
  return fmt::format("{} {}", title, change_text(change, facts.unit));
}

std::string rows_sentence(const Diff& diff, std::string_view what) {
  std::string counts;
  for (const RowChange change : kChanges)
    if (const std::size_t n = diff.count(change); n > 0)
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", n, name_of(change));
  const std::size_t same = diff.count(RowChange::Same);
  if (counts.empty() && what == "variants")
    return fmt::format("No difference shown in {} variant{}.\n", same, same == 1 ? "" : "s");
  if (counts.empty()) return fmt::format("All {} {} are the same.\n", same, what);
  return fmt::format("Of {} {}: {}, {} the same.\n", diff.rows.size(), what, counts, same);
}

// `Params +1.0 %, MACs +150.0 %`: those of these totals that are not the same.
std::string totals_text(const Diff& diff, std::span<const Measure> which) {
  std::string out;
  for (const Measure measure : which) {
    const Change& change = at(diff.totals, measure);
    if (change.verdict == Verdict::Absent) continue;
    const std::string words = headline_of(change, facts_of(measure));
    if (!words.empty()) out += fmt::format("{}{}", out.empty() ? "" : ", ", words);
  }
  return out;
}

// The totals that say most, or the others if only those changed.
std::string totals_text(const Diff& diff, bool are_weights) {
  const std::string first =
      totals_text(diff, are_weights ? std::span<const Measure>(kHeadlineOfWeights) : kHeadline);
  if (!first.empty()) return first;
  std::vector<Measure> all;
  bool has_totals = false;
  for (const MeasureFacts& facts : measures()) {
    all.push_back(facts.measure);
    has_totals |= at(diff.totals, facts.measure).verdict != Verdict::Absent;
  }
  const std::string others = totals_text(diff, all);
  return others.empty() && has_totals ? "the same totals" : others;
}

std::string verdict_of(const Comparison& comparison, const Diff& diff) {
  const Side &before = comparison.sides[diff.before], &after = comparison.sides[diff.after];
  const bool are_weights = before.rows_are == "tensors";
  std::string changes = totals_text(diff, are_weights);
  const std::string what =
      are_weights || before.rows_are == "variants" ? before.rows_are : "layers";
  if (const std::string same = diff.same.empty() ? same_network(before, after, diff) : diff.same;
      !same.empty())
    changes = fmt::format("{}; {}", same, changes);
  return fmt::format("{} → {}{}{}.\n{}{}", visible(before.label), visible(after.label),
                     changes.empty() ? "" : ": ", changes, where_text(before, after, diff),
                     rows_sentence(diff, what));
}

std::string limit_lines(const Comparison& comparison) {
  std::string out;
  for (const JudgedLimit& judged : comparison.limits) {
    if (judged.verdict == LimitVerdict::Kept) continue;
    const char* how = judged.verdict == LimitVerdict::Broken ? "too much" : "unknown";
    out += fmt::format("{} {}: {}: {}\n", visible(judged.limit.text), how, visible(judged.where),
                       visible(judged.reason));
  }
  if (out.empty() && !comparison.limits.empty())
    out = fmt::format("{} limit{} kept.\n", comparison.limits.size(),
                      comparison.limits.size() == 1 ? "" : "s");
  return out;
}

Members facts_of(const Comparison& comparison) {
  Cells sides, comparisons, limits;
  for (const Side& side : comparison.sides)
    sides.emplace_back(Members{{"file", FilePath{side.label}},
                               {"kind", side.kind},
                               {"rows_are", side.rows_are},
                               {"rows", side.rows.size()},
                               {"hidden_rows", side.hidden_rows},
                               {"unknown_ops", list_cell(side.unknown_ops)}});
  for (const Diff& diff : comparison.diffs) {
    Members counts = {{"file", FilePath{comparison.sides[diff.after].label}},
                      {"same", diff.count(RowChange::Same)}};
    for (const RowChange change : kChanges)
      counts.push_back({std::string(name_of(change)), diff.count(change)});
    counts.push_back(
        {"same_network", !diff.same.empty() || !same_network(comparison.sides[diff.before],
                                                             comparison.sides[diff.after], diff)
                                                    .empty()});
    counts.push_back({"notes", list_cell(diff.notes)});
    comparisons.emplace_back(std::move(counts));
  }
  for (const JudgedLimit& judged : comparison.limits)
    limits.emplace_back(Members{{"limit", judged.limit.text},
                                {"where", judged.where},
                                {"verdict", name_of(judged.verdict)},
                                {"reason", judged.reason}});
  return {{"sides", std::move(sides)},
          {"comparisons", std::move(comparisons)},
          {"limits", std::move(limits)},
          {"within_limits", comparison.is_within_limits()}};
}

std::size_t unchanged_rows(const Comparison& comparison) {
  std::size_t out = 0;
  for (const Diff& diff : comparison.diffs) out += diff.count(RowChange::Same);
  return out;
}

}  // namespace

bool Comparison::is_within_limits() const {
  return std::all_of(limits.begin(), limits.end(), [](const JudgedLimit& judged) {
    return judged.verdict == LimitVerdict::Kept;
  });
}

Document diff_document(const Comparison& comparison, const DiffTables& which) {
  Document document = new_document("diff");
  document.facts = facts_of(comparison);
  document.tables = {layers_table(comparison, which), totals_table(comparison)};
  const bool has_several = comparison.diffs.size() > 1;
  for (const Diff& diff : comparison.diffs)
    for (const std::string& note : diff.notes)
      document.notes.emplace_back(
          has_several ? fmt::format("{}: {}", comparison.sides[diff.after].label, note) : note,
          true);
  std::string lines = limit_lines(comparison);
  for (const Diff& diff : comparison.diffs) lines += verdict_of(comparison, diff);
  document.sections = {answer_section(lines)};
  if (!document.notes.empty()) document.sections.push_back(notes_section(document.notes));
  if (!document.tables.back().rows.empty()) document.sections.push_back({.table = "totals"});
  if (!document.tables.front().rows.empty()) document.sections.push_back({.table = "layers"});
  const std::size_t same = which.all ? 0 : unchanged_rows(comparison);
  if (same > 0)
    document.sections.push_back({.lines = [same](const TableStyle& style) {
      return phrased(style.phrase,
                     make_error(Code::RowsHidden, {},
                                fmt::format("{} row{} without a difference {} not shown", same,
                                            same == 1 ? "" : "s", same == 1 ? "is" : "are"))) +
             "\n";
    }});
  return document;
}

}  // namespace strata::compare
