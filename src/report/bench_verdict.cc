// Which variant to take, and how sure that is.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/visible.h"
#include "report/bench_text.h"
#include "report/verdict.h"
#include "strata/base/number_text.h"

namespace strata {

namespace {

// What lessens the trust in all figures of a run, and what to do about it; empty: nothing.
std::string disturbance(const BenchRun& run) {
  bool disturbed = false;
  for (const BenchGroup& group : run.groups)
    for (const VariantResult& result : group.result.variants)
      disturbed = disturbed || was_disturbed(result, run.method.load);
  if (!run.complete) return "; it was interrupted: run it to its end";
  return disturbed ? "; other work on this machine disturbed it: repeat it where there is none"
                   : "";
}

// The first that could not be run, or whose answer was wrong.
std::string refusal(const BenchGroup& group) {
  for (const VariantResult& result : group.result.variants)
    if (result.failure != Failure::None)
      return fmt::format("{}: {}: {}", variant_text(result.variant), failure_name(result.failure),
                         visible(result.reason.substr(0, result.reason.find('\n'))));
  return "no variant ran long enough";
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
    return {bench_answer(group), fmt::format("Nothing was compared with it{}", doubt)};
  return {fmt::format("{}; the next has {}", bench_answer(group),
                      speed_up_text(next->median, next->interval)),
          fmt::format("Sure: every 95 % interval is below 1. Stay with {}{}", name, doubt),
          Meaning::Worse};
}

Verdict of_winner(const BenchGroup& group, const std::string& doubt) {
  const BenchResult& result = group.result;
  const std::string name = variant_text(result.variants[*result.winner].variant);
  const auto& gain = result.speed_ups[*result.winner];
  if (!gain || !gain->withheld.empty())
    return {bench_answer(group),
            fmt::format("Not sure: {}{}",
                        gain ? "speed-up withheld: " + gain->withheld
                             : std::string("it never ran beside the base; measure longer"),
                        doubt)};
  if (!gain->certain())
    return {bench_answer(group),
            fmt::format("Not sure: the interval includes 1; measure longer{}", doubt)};
  return {bench_answer(group),
          fmt::format("Sure: its 95 % interval is above 1, and no other may be as fast. Take {}{}",
                      name, doubt),
          Meaning::Better};
}

Verdict of_group(const BenchRun& run, const BenchGroup& group) {
  const BenchResult& result = group.result;
  const std::string doubt = disturbance(run);
  if (!result.winner)
    return {bench_answer(group), fmt::format("Refused: {}{}", refusal(group), doubt),
            Meaning::Refused};
  if (!result.has_clear_winner())
    return {
        bench_answer(group),
        fmt::format("Not sure: after {} the ratios to the best still include 1. Measure longer, "
                    "or choose by memory and answers{}",
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
  out.answer = fmt::format("{} of {} have a clear winner{}", clear, all,
                           headline.empty() ? "" : ". " + visible(headline));
  std::vector<std::string> parts;
  if (!unsure.empty())
    parts.push_back(fmt::format("Not sure, measure longer: {}", fmt::join(unsure, ", ")));
  if (!refused.empty()) parts.push_back(fmt::format("Refused: {}", fmt::join(refused, ", ")));
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
