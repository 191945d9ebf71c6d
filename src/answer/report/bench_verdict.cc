// The verdict: which variant to take, and how sure that is.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/visible.h"
#include "report/bench_text.h"
#include "report/verdict.h"
#include "strata/base/number_text.h"

namespace strata {

namespace {

// Names what lessens the trust in all figures of a run, and the remedy; empty if nothing does.
std::string disturbance(const BenchRun& run) {
  bool disturbed = false;
  for (const BenchGroup& group : run.groups)
    for (const VariantResult& result : group.result.variants)
      disturbed = disturbed || was_disturbed(result, run.method.load);
  if (!run.complete) return ". It was interrupted: run it to its end";
  return disturbed ? ". Other programs disturbed the measurement: repeat it on a quiet machine"
                   : "";
}

// The first that could not be run, or whose answer was wrong.
std::string refusal(const BenchGroup& group, const LoadMode& load) {
  for (const VariantResult& result : group.result.variants)
    if (result.failure != Failure::None)
      return fmt::format("{}: {}{}", variant_text(result.variant),
                         result.failure == Failure::Refused
                             ? ""
                             : fmt::format("{}: ", failure_name(result.failure)),
                         visible(result.reason.substr(0, result.reason.find('\n'))));
  for (const VariantResult& result : group.result.variants)
    if (result.utilization.value_or(0) >= 1)
      return fmt::format("{} cannot keep up with {:g} inferences a second",
                         variant_text(result.variant), load.rate);
  return "no variant ran";
}

// Why the first variant with too few runs is not compared; empty if there is none.
std::string too_few(const BenchGroup& group) {
  for (const VariantResult& result : group.result.variants)
    if (result.failure == Failure::None && !result.withheld().empty()) return result.withheld();
  return "";
}

// The nearest to the base of all that were compared with it.
const SpeedUp* closest(const BenchResult& result) {
  const SpeedUp* best = nullptr;
  for (std::size_t i = 0; i < result.speed_ups.size(); ++i) {
    if (i == result.base || !result.speed_ups[i] || !result.speed_ups[i]->withheld.empty())
      continue;
    if (best == nullptr || result.speed_ups[i]->median > best->median) best = &*result.speed_ups[i];
  }
  return best;
}

Verdict of_base(const BenchGroup& group, const std::string& doubt) {
  const BenchResult& result = group.result;
  const std::string name = variant_text(result.variants[result.base].variant);
  const SpeedUp* next = closest(result);
  if (next == nullptr)
    return {bench_answer(group), fmt::format("No other variant was compared with it{}", doubt)};
  return {fmt::format("{}; the next has {}", bench_answer(group),
                      speed_up_text(next->median, next->interval)),
          fmt::format("Sure: every 95 % interval{} is below 1. Stay with {}{}",
                      too_few(group).empty() ? "" : " of those with enough runs", name, doubt),
          Meaning::Worse};
}

Verdict of_winner(const BenchGroup& group, const std::string& doubt) {
  const BenchResult& result = group.result;
  const std::string name = variant_text(result.variants[*result.winner].variant);
  const auto& gain = result.speed_ups[*result.winner];
  if (!gain || !gain->withheld.empty())
    return {bench_answer(group),
            fmt::format("Not sure: {}{}",
                        gain ? "speedup withheld: " + gain->withheld
                             : std::string("it never ran beside the base; measure longer"),
                        doubt)};
  if (!gain->certain())
    return {bench_answer(group),
            fmt::format("Not sure: the interval includes 1; measure longer{}", doubt)};
  return {
      bench_answer(group),
      fmt::format("Sure: its 95 % interval is above 1, and no other {}may be as fast. Take {}{}",
                  too_few(group).empty() ? "" : "with enough runs ", name, doubt),
      Meaning::Better};
}

Verdict of_group(const BenchRun& run, const BenchGroup& group) {
  const BenchResult& result = group.result;
  const std::string doubt = disturbance(run);
  const std::string few = too_few(group);
  if (!result.winner && !few.empty())
    return {bench_answer(group), fmt::format("Not sure: {}{}", few, doubt)};
  if (!result.winner)
    return {bench_answer(group),
            fmt::format("Refused: {}{}", refusal(group, run.method.load), doubt), Meaning::Refused};
  if (const std::string why = not_compared(result); !result.has_clear_winner() && !why.empty())
    return {bench_answer(group), fmt::format("Not sure: {}{}", why, doubt)};
  if (!result.has_clear_winner())
    return {bench_answer(group),
            fmt::format(
                "Not sure: after {} the 95 % intervals of the speedups still include 1. Measure "
                "longer, or choose by memory and answers{}",
                human_seconds(result.seconds), doubt)};
  return result.base == *result.winner ? of_base(group, doubt) : of_winner(group, doubt);
}

// Several models: how many have an answer, the largest gain, and which have none.
Verdict of_groups(const BenchRun& run) {
  std::vector<std::string> unsure, refused;
  for (const BenchGroup& group : run.groups) {
    if (!group.result.winner)
      refused.push_back(group_text(group));
    else if (!group.result.has_clear_winner())
      unsure.push_back(group_text(group));
  }
  const std::size_t all = run.groups.size(), clear = all - unsure.size() - refused.size();
  const std::string headline = bench_headline(run);
  Verdict out;
  out.answer = fmt::format("{} of {} {} a clear winner{}", clear, all, clear == 1 ? "has" : "have",
                           headline.empty() ? "" : ". " + visible(headline));
  std::vector<std::string> parts;
  if (!unsure.empty())
    parts.push_back(fmt::format("Not sure, measure longer: {}", fmt::join(unsure, ", ")));
  if (!refused.empty()) parts.push_back(fmt::format("No winner: {}", fmt::join(refused, ", ")));
  if (parts.empty()) parts.emplace_back("Sure, with intervals of 95 %: take what is marked with *");
  out.advice = fmt::format("{}{}", fmt::join(parts, ". "), disturbance(run));
  out.meaning = clear == 0 && unsure.empty() ? Meaning::Refused
                : headline.empty()           ? Meaning::Plain
                                             : Meaning::Better;
  return out;
}

}  // namespace

Verdict bench_verdict(const BenchRun& run) {
  if (run.groups.empty()) return {};
  return run.groups.size() == 1 ? of_group(run, run.groups.front()) : of_groups(run);
}

}  // namespace strata
