#include "strata/compare/limits.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "compare/text.h"

namespace strata::compare {

namespace {

constexpr double kRounding = 1e-12;  // of shares such as 0.01, which no double is

// True if `value` is certainly beyond the bound.
bool is_beyond(bool above, double value, double bound) {
  const double room = std::abs(bound) * kRounding;
  return above ? value > bound + room : value < bound - room;
}

LimitVerdict verdict_of(bool broken) { return broken ? LimitVerdict::Broken : LimitVerdict::Kept; }

LimitVerdict judge_time(const Limit& limit, const Change& change) {
  if (!change.ratio_interval) return LimitVerdict::Kept;
  const double nearest = limit.above ? change.ratio_interval->low : change.ratio_interval->high;
  const double scale = limit.relative ? 1 : *change.before.number();
  return verdict_of(is_beyond(limit.above, scale * (nearest - 1), limit.bound));
}

// A difference that is a formula is judged if it is beyond the bound for all sizes, or for none.
LimitVerdict judge_formula(const Limit& limit, const Expr& difference) {
  if (std::abs(limit.bound) > 1e18) return LimitVerdict::Unknown;
  const Expr up = limit.above ? difference : -difference;
  const double bound = limit.above ? limit.bound : -limit.bound;
  const auto whole = static_cast<std::int64_t>(std::floor(bound));
  if (provably_at_least(up, whole + 1)) return LimitVerdict::Broken;
  if (provably_at_least(-up, -whole)) return LimitVerdict::Kept;
  return LimitVerdict::Unknown;
}

std::string reason_of(const Limit& limit, const Change& change) {
  const MeasureFacts& facts = facts_of(limit.measure);
  if (change.verdict == Verdict::Same)
    return fmt::format("{} before and after", figure_text(change.before, facts.unit));
  return fmt::format("{} before and {} after: {}", figure_text(change.before, facts.unit),
                     figure_text(change.after, facts.unit), change_text(change, facts.unit));
}

bool is_known(const Change& change) { return change.verdict != Verdict::Absent; }

}  // namespace

std::string_view name_of(LimitVerdict verdict) {
  switch (verdict) {
    case LimitVerdict::Kept:
      return "kept";
    case LimitVerdict::Broken:
      return "broken";
    case LimitVerdict::Unknown:
      break;
  }
  return "unknown";
}

LimitVerdict judge(const Limit& limit, const Change& change) {
  if (change.verdict == Verdict::Unknown || change.verdict == Verdict::Absent)
    return LimitVerdict::Unknown;
  if (limit.measure == Measure::Latency) return judge_time(limit, change);
  if (change.verdict == Verdict::NotShown) return LimitVerdict::Kept;
  const auto before = change.before.number(), difference = change.difference.number();
  if (difference && before)
    return verdict_of(
        is_beyond(limit.above, *difference, limit.relative ? limit.bound * *before : limit.bound));
  if (limit.relative)
    return change.ratio ? verdict_of(is_beyond(limit.above, *change.ratio - 1, limit.bound))
                        : LimitVerdict::Unknown;
  return change.difference.is_known() && !change.difference.real
             ? judge_formula(limit, change.difference.count)
             : LimitVerdict::Unknown;
}

Result<std::vector<JudgedLimit>> judge_limits(std::span<const Limit> limits,
                                              std::span<const Side> sides,
                                              std::span<const Diff> diffs) {
  std::vector<JudgedLimit> out;
  for (const Limit& limit : limits) {
    const auto add = [&](const Change& change, std::string where) {
      out.push_back({limit, std::move(where), judge(limit, change), reason_of(limit, change)});
    };
    const std::size_t first = out.size();
    for (const Diff& diff : diffs) {
      const Side& after = sides[diff.after];
      if (const Change& total = at(diff.totals, limit.measure); is_known(total)) {
        add(total, after.label);
        continue;
      }
      for (const RowDiff& row : diff.rows) {
        if (!facts_of(limit.measure).of_rows) continue;
        const Change change = change_of_row(sides[diff.before], after, row, limit.measure);
        if (is_known(change))
          add(change, fmt::format("{}: {}", after.label, names_of(after, row.after)));
      }
    }
    if (out.size() > first) continue;
    const std::string_view name = facts_of(limit.measure).name;
    return failure(fmt::format("limit {}: {} and {} have no {} to compare", in_quotes(limit.text),
                               sides.front().label, sides.back().label, name));
  }
  return out;
}

}  // namespace strata::compare
