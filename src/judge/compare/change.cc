// The difference between two numbers, and how sure it is.
#include <cmath>

#include "bench/ratio.h"
#include "strata/compare/diff.h"

namespace strata::compare {

namespace {

bool is_measured(Measure measure) {
  return measure == Measure::Latency || measure == Measure::Quality;
}

// The ratio of formulas that are multiples of each other: 300·N and 310·N.
std::optional<double> ratio_of_formulas(const Expr& before, const Expr& after) {
  const auto left = before.terms(), right = after.terms();
  if (left.empty() || left.size() != right.size()) return std::nullopt;
  const auto coefficient = [](const Expr::Term& term) {
    return static_cast<long double>(term.coefficient);
  };
  for (std::size_t i = 0; i < left.size(); ++i)
    if (left[i].product != right[i].product || coefficient(left[i]) * coefficient(right[0]) !=
                                                   coefficient(left[0]) * coefficient(right[i]))
      return std::nullopt;
  return left[0].coefficient == 0
             ? std::nullopt
             : std::optional(static_cast<double>(coefficient(right[0]) / coefficient(left[0])));
}

// Most rows have not changed, and most counts are numbers: neither takes the terms of a formula.
std::optional<double> ratio_of_counts(const Expr& before, const Expr& after) {
  if (!before.is_number() || !after.is_number()) return ratio_of_formulas(before, after);
  if (before.value() == 0 || after.value() == 0) return std::nullopt;
  return static_cast<double>(static_cast<long double>(after.value()) /
                             static_cast<long double>(before.value()));
}

void judge_count(Change& change) {
  if (change.before.count == change.after.count) {
    change.verdict = Verdict::Same;
    change.difference = count_figure(0);
    if (change.before.count != Expr(0)) change.ratio = 1;
    return;
  }
  change.difference = count_figure(change.after.count - change.before.count);
  const Expr& difference = change.difference.count;
  if (provably_at_least(difference, 1))
    change.verdict = Verdict::More;
  else if (provably_at_least(-difference, 1))
    change.verdict = Verdict::Less;
  else
    change.verdict = Verdict::Differs;  // also where the difference is unknown
  change.ratio = ratio_of_counts(change.before.count, change.after.count);
}

void judge_real(Change& change) {
  const auto before = change.before.number(), after = change.after.number();
  if (!before || !after) {
    change.verdict = Verdict::Differs;  // a formula and a fraction
    return;
  }
  change.difference = real_figure(*after - *before);
  if (*before > 0 && std::isfinite(*before)) change.ratio = *after / *before;
  change.verdict =
      *before == *after ? Verdict::Same : (*after > *before ? Verdict::More : Verdict::Less);
}

bool has_ends_above_zero(const Figure& figure) {
  return figure.interval && figure.interval->low > 0 && std::isfinite(figure.interval->high) &&
         figure.interval->low <= figure.interval->high && figure.number().value_or(0) > 0;
}

// A time is called longer or shorter only if the interval of the ratio says so.
void judge_time(Change& change) {
  judge_real(change);
  if (change.verdict == Verdict::Differs) return;
  change.verdict = Verdict::NotShown;
  if (!has_ends_above_zero(change.before) || !has_ends_above_zero(change.after)) return;
  const SpeedUp ratio = strata::ratio_of(*change.after.number(), *change.after.interval,
                                         *change.before.number(), *change.before.interval);
  change.ratio = ratio.median;
  change.ratio_interval = ratio.interval;
  if (ratio.certain()) change.verdict = ratio.interval.low > 1 ? Verdict::More : Verdict::Less;
}

// Decibels and shares have no ratio that means anything: intervals that do not touch differ.
void judge_quality(Change& change) {
  judge_real(change);
  change.ratio.reset();
  if (change.verdict == Verdict::Same || change.verdict == Verdict::Differs) return;
  const auto &before = change.before.interval, &after = change.after.interval;
  const bool apart = before && after && (after->low > before->high || after->high < before->low);
  if (!apart) change.verdict = Verdict::NotShown;
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Same:
      return "same";
    case Verdict::More:
      return "more";
    case Verdict::Less:
      return "less";
    case Verdict::Differs:
      return "differs";
    case Verdict::NotShown:
      return "no difference shown";
    case Verdict::Unknown:
      return "unknown";
    case Verdict::Absent:
      break;
  }
  return "absent";
}

Change change_of(const Figure& before, const Figure& after, Measure measure) {
  Change change{.before = before, .after = after};
  if (!before.is_known() && !after.is_known()) return change;
  if (!before.is_exact() || !after.is_exact()) {
    change.verdict = Verdict::Unknown;
    return change;
  }
  if (measure == Measure::Latency)
    judge_time(change);
  else if (is_measured(measure))
    judge_quality(change);
  else if (before.real || after.real)
    judge_real(change);
  else
    judge_count(change);
  return change;
}

}  // namespace strata::compare
