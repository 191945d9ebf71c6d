// The rows in sentences.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/bench_text.h"
#include "strata/base/number_text.h"

namespace strata {

namespace {

// The runs behind the figures that are shown. If too few count, these are all runs as they are.
CountedRuns shown_runs(const VariantResult& result) {
  if (result.withheld().empty()) return result.counted();
  const std::size_t runs = result.runs();
  return {.measured = runs, .kept = runs};
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// `onnxruntime 1.27.0: no kernel for …` without the engine, which stands before it anyway.
std::string without_engine(const std::string& reason, const Variant& variant) {
  const std::size_t colon = reason.find(": ");
  const std::size_t space = reason.find(' ');
  const bool starts = reason.starts_with(variant.engine + " ") && colon != reason.npos &&
                      space == variant.engine.size() && reason.find(' ', space + 1) == colon + 1;
  return starts ? reason.substr(colon + 2) : reason;
}

}  // namespace

std::string not_compared(const BenchResult& result) {
  std::string why;
  for (std::size_t i = 0; i < result.speed_ups.size(); ++i) {
    const auto& found = result.speed_ups[i];
    if (i == result.base || !found) continue;
    if (found->withheld.empty()) return "";
    if (why.empty()) why = found->withheld;
  }
  return why;
}

namespace {

// Those that lead, none of which is the fastest for sure.
std::string no_winner_text(const BenchGroup& group) {
  const BenchResult& result = group.result;
  std::vector<std::string> names = {variant_text(result.variants[*result.winner].variant)};
  for (const std::size_t i : result.indistinct)
    names.push_back(variant_text(result.variants[i].variant));
  const std::string list = fmt::format("{}", fmt::join(names, ", "));
  if (!not_compared(result).empty())
    return fmt::format("{}: not decided: there are too few runs to compare {}\n", group_text(group),
                       list);
  return fmt::format("{}: no clear winner: {} cannot be told apart\n", group_text(group), list);
}

std::string fastest_text(const BenchGroup& group) {
  const BenchResult& result = group.result;
  const std::string name = group_text(group);
  if (!result.winner) {
    const auto any = [&](auto&& is) {
      return std::any_of(result.variants.begin(), result.variants.end(), is);
    };
    const char* why = "nothing could be measured";
    if (any([](const VariantResult& own) { return own.utilization.value_or(0) >= 1; }))
      why = "no variant keeps up with the requests";
    else if (any([](const VariantResult& own) {
               return own.failure == Failure::None && !own.withheld().empty();
             }))
      why = "too few runs to claim anything";
    else if (any([](const VariantResult& own) { return own.runs() > 0; }))
      why = "no variant with correct outputs could be compared";
    return fmt::format("{}: {}\n", name, why);
  }
  if (!result.has_clear_winner()) return no_winner_text(group);
  const VariantResult& winner = result.variants[*result.winner];
  const Summary summary = winner.summary();
  const auto batch = static_cast<double>(winner.variant.batch);
  const bool alone =
      std::count_if(result.speed_ups.begin(), result.speed_ups.end(),
                    [](const auto& one) { return one && one->withheld.empty(); }) < 2;
  const bool is_only = alone && *result.winner == result.base && result.variants.size() > 1;
  std::string out =
      fmt::format("{}: {}{}, {}", name, is_only ? "only measured: " : "fastest is ",
                  variant_text(winner.variant), human_seconds(summary.median / batch));
  if (batch > 1) out += " a sample";
  if (*result.winner == result.base) {
    if (result.variants.size() > 1 && !is_only) out += ", which the others are compared with";
  } else if (const auto& speed_up = result.speed_ups[*result.winner]) {
    const std::string base = variant_text(result.variants[result.base].variant);
    if (std::isfinite(speed_up->interval.high))
      out += fmt::format(": {} over {}", speed_up_text(speed_up->median, speed_up->interval), base);
    else
      out += fmt::format("; too little was measured to compare it with {}", base);
    if (speed_up->tail)
      out +=
          fmt::format(", {} at p99", speed_up->tail_interval
                                         ? speed_up_text(*speed_up->tail, *speed_up->tail_interval)
                                         : fmt::format("{:.2f}×", *speed_up->tail));
  }
  return out + "\n";
}

}  // namespace

std::string bench_answer(const BenchGroup& group) {
  const std::string text = fastest_text(group);
  return text.substr(0, text.size() - 1);
}

namespace {

std::string load_text(const BenchRun& run, const VariantResult& result) {
  const LoadMode& load = run.method.load;
  const std::string name = variant_text(result.variant);
  if (result.utilization && *result.utilization >= 1)
    return fmt::format(
        "  {}: cannot keep up with {:g} inferences a second, so its times are not "
        "meaningful\n",
        name, load.rate);
  if (result.utilization)
    return fmt::format("  {}: at work for {:.0f} % of the time\n", name, 100 * *result.utilization);
  if (!result.drift) return "";
  const Drift& drift = *result.drift;
  return fmt::format("  {}: {:+.1f} % [{:+.1f}, {:+.1f}] from start to end{}\n", name,
                     100 * drift.change, 100 * drift.interval.low, 100 * drift.interval.high,
                     drift.certain() ? "" : ", which may be none");
}

// Joins facts that several variants share into one line.
class SharedLines {
 public:
  void add(const std::string& variant, const std::string& what) {
    for (auto& [known, variants] : lines_)
      if (known == what) return variants.push_back(variant);
    lines_.push_back({what, {variant}});
  }
  // `all` is how many there are that such a line could be said of.
  std::string text(std::size_t all) const {
    std::string out;
    for (const auto& [what, variants] : lines_)
      out += fmt::format("  {}: {}\n",
                         variants.size() > 1 && variants.size() == all
                             ? "all that ran"
                             : fmt::format("{}", fmt::join(variants, ", ")),
                         what);
    return out;
  }

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> lines_;
};

// The slowdown of a test loop from which on the reader is told.
constexpr double kSlowed = 0.05;
std::string shared_core_text(const VariantResult& result) {
  const CountedRuns counted = shown_runs(result);
  return fmt::format(
      "others outside this machine use the same processor core (a test loop slows down); "
      "{}",
      counted.slowed > 0 ? fmt::format("{} of {} runs were slowed by that and are left out",
                                       counted.slowed, counted.measured)
                         : fmt::format("all {} runs are kept", counted.kept));
}

std::string disturbed_text(const VariantResult& result) {
  std::string out = "disturbed by other work on this machine";
  const double waited = result.waited();
  if (waited < 0) return out;
  const CountedRuns counted = shown_runs(result);
  if (result.variant.session.threads == 1)
    return fmt::format("{}: it waited for a processor {:.0f} % of the time{}", out, 100 * waited,
                       counted.taken_off > 0 ? ", which is taken off" : "");
  return fmt::format("{}: {} of {} runs waited and are left out", out, counted.waited,
                     counted.measured);
}

std::string group_findings(const BenchRun& run, const BenchGroup& group) {
  const bool several = run.groups.size() > 1;  // else the verdict has said it
  std::string loads;
  SharedLines failed, withheld;
  for (const VariantResult& result : group.result.variants) {
    const std::string name = variant_text(result.variant);
    if (result.failure != Failure::None)
      failed.add(name, fmt::format("{}: {}", failure_name(result.failure),
                                   without_engine(first_line(result.reason), result.variant)));
    const std::size_t i = static_cast<std::size_t>(&result - group.result.variants.data());
    const auto& speed_ups = group.result.speed_ups;
    if (i < speed_ups.size() && speed_ups[i] && !speed_ups[i]->withheld.empty())
      withheld.add(name, fmt::format("speedup withheld: {}", speed_ups[i]->withheld));
    else if (!result.withheld().empty() && result.failure == Failure::None)
      withheld.add(name, fmt::format("no interval: {}", result.withheld()));
    loads += load_text(run, result);
  }
  return (several ? fastest_text(group) : "") + failed.text(0) + withheld.text(0) + loads;
}

// Says how good the runs were.
std::string group_quality(const BenchRun& run, const BenchGroup& group) {
  SharedLines quality;
  std::size_t ran = 0;
  for (const VariantResult& result : group.result.variants) {
    const std::string name = variant_text(result.variant);
    if (result.runs() > 0) ++ran;
    if (result.failure == Failure::None && result.partial)
      quality.add(name, fmt::format("partial: fewer than {} blocks", run.method.min_blocks));
    if (was_disturbed(result, run.method.load)) quality.add(name, disturbed_text(result));
    if (result.pace().slowed > kSlowed) quality.add(name, shared_core_text(result));
  }
  std::string out = quality.text(ran);
  const bool sequential = run.method.load.kind == LoadMode::Kind::Closed;
  if (sequential && !group.result.reached && !group.result.stopped && group.result.winner &&
      group.result.variants.size() > 1)
    out += fmt::format("  stopped after {}, before every interval came within ±{:g} %\n",
                       human_seconds(group.result.seconds), 100 * run.method.until);
  return out;
}

// Lines that belong to no line before them.
std::string not_set_in(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    if (text.compare(at, 2, "  ") == 0) at += 2;
    out += text.substr(at, end - at);
    at = end;
  }
  return out;
}

// Explains the signs that occur in the rows.
std::string legend(const BenchRun& run) {
  bool fastest = false, alike = false, pareto = false, noisy = false, modelled = false;
  std::string why;
  for (const BenchGroup& group : run.groups) {
    fastest = fastest || group.result.has_clear_winner();
    alike = alike || !group.result.indistinct.empty();
    pareto = pareto || !group.result.pareto.empty();
    for (std::size_t i = 0; i < group.result.variants.size(); ++i) {
      const VariantResult& result = group.result.variants[i];
      noisy = noisy || result.summary().cv > kNoisyCv;
      const bool from_counts = !result.joules && i < group.modelled_joules.size() &&
                               group.modelled_joules[i].has_value();
      modelled = modelled || from_counts;
      if (from_counts && why.empty()) why = first_line(result.energy_source);
    }
  }
  std::vector<std::string> signs;
  if (fastest) signs.emplace_back("* fastest");
  if (alike)
    signs.emplace_back("~ leads, but is not significantly faster than the others marked ~");
  if (pareto)
    signs.emplace_back("P no variant is better in median, difference and peak memory at once");
  if (noisy) signs.push_back(fmt::format("! CV above {:g} %: noisy", 100 * kNoisyCv));
  if (modelled)
    signs.push_back(fmt::format("≈ energy from counts and published figures, not measured{}{}",
                                why.empty() ? "" : ": ", why));
  return signs.empty() ? "" : fmt::format("{}\n", fmt::join(signs, "; "));
}

// Says whether waiting was subtracted and how many runs were left out.
std::string treatment_text(const BenchRun& run) {
  CountedRuns all;
  for (const BenchGroup& group : run.groups)
    for (const VariantResult& result : group.result.variants) {
      const CountedRuns own = shown_runs(result);
      all.measured += own.measured;
      all.kept += own.kept;
      all.waited += own.waited;
      all.slowed += own.slowed;
      all.taken_off += own.taken_off;
    }
  std::string out = all.taken_off > 0
                        ? fmt::format("times without the {} of waiting for a processor",
                                      human_seconds(all.taken_off))
                        : "times as measured";
  if (all.kept < all.measured)
    out += fmt::format(", {} of {} runs left out", all.measured - all.kept, all.measured);
  return out;
}

std::string method_text(const BenchRun& run) {
  std::vector<std::string> engines;
  for (const BenchGroup& group : run.groups)
    for (const VariantResult& result : group.result.variants)
      for (const ProcessSamples& process : result.processes)
        if (!process.open.engine.empty() &&
            std::find(engines.begin(), engines.end(), process.open.engine) == engines.end())
          engines.push_back(process.open.engine);
  if (engines.empty()) return "";
  const LoadMode& load = run.method.load;
  std::string how = "one inference after the other";
  if (load.kind == LoadMode::Kind::Rate)
    how = fmt::format("{:g} inferences a second{}, the wait in the queue included", load.rate,
                      load.poisson ? " at random moments" : "");
  if (load.kind == LoadMode::Kind::Sustained)
    how = fmt::format("one inference after the other for {:g} s", load.seconds);
  return fmt::format(
      "Measured on {}: {}, in interleaved blocks of {} or more processes each, after {}; {}, FPS "
      "is samples over the time they took, a percentile the nearest rank, intervals 95 % between "
      "processes\n",
      fmt::join(engines, ", "), how, run.method.processes,
      run.method.warmup < 0 ? "a warm-up until there was no trend"
                            : fmt::format("{} inferences to warm up", run.method.warmup),
      treatment_text(run));
}

}  // namespace

std::string bench_findings(const BenchRun& run) {
  std::string out;
  for (const BenchGroup& group : run.groups) out += group_findings(run, group);
  if (run.groups.size() == 1) out = not_set_in(out);
  out += legend(run);
  if (!run.complete) out += "Interrupted: missing values were not measured\n";
  return out;
}

std::string bench_method(const BenchRun& run) {
  std::string out;
  for (const BenchGroup& group : run.groups) {
    const std::string quality = not_set_in(group_quality(run, group));
    if (!quality.empty() && run.groups.size() > 1) out += group_text(group) + ": ";
    out += quality;
  }
  return out + method_text(run);
}

std::string aa_summary(const BenchRun& run) {
  std::string out;
  for (const BenchAa& aa : run.aa) {
    const AaCheck& check = aa.check;
    out += fmt::format(
        "A/A check of {} on {}: {} trials from {} pairs of processes, in {}\n"
        "  false differences  {:.1f} % [{:.1f}, {:.1f}] of the trials; the intervals allow 5 %\n"
        "  one after the other  {:.1f} %: how often that would have misled\n"
        "  smallest detectable difference  {}\n",
        aa.variant.model, variant_text(aa.variant), check.trials, check.pairs,
        human_seconds(check.seconds), 100 * check.false_rate, 100 * check.false_rate_interval.low,
        100 * check.false_rate_interval.high, 100 * check.sequential_rate,
        std::isfinite(check.smallest) ? fmt::format("{:.2f} %", 100 * check.smallest)
                                      : std::string("none"));
  }
  return out;
}

bool BenchRun::has_results() const {
  for (const BenchGroup& group : groups)
    for (const VariantResult& result : group.result.variants)
      if (result.runs() > 0) return true;
  return !aa.empty();
}

std::string BenchRun::why_failed() const {
  for (const BenchGroup& group : groups)
    for (const VariantResult& result : group.result.variants)
      if (result.failure != Failure::None)
        return fmt::format("{}: {}", failure_name(result.failure), result.reason);
  return "";
}

}  // namespace strata
