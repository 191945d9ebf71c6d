#include "strata/measure/timed_pair.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/student.h"
#include "measure/model_timer.h"
#include "strata/base/text_map.h"
#include "strata/measure/memory.h"

namespace strata {

namespace {

// Sessions that ran side by side may differ by this much for reasons that cannot be measured.
constexpr double kUnseen = 0.01;
constexpr double kUsualFreedom = 4;
constexpr double kWidest = 4;  // high over low; a wider interval says nothing

std::vector<double> session_medians(std::span<const double> samples,
                                    std::span<const std::size_t> sessions) {
  std::vector<double> medians;
  std::size_t at = 0;
  for (const std::size_t size : sessions) {
    const bool known = size > 0 && at + size <= samples.size();
    medians.push_back(known ? summarize(samples.subspan(at, size)).median : 0);
    at += size;
  }
  return medians;
}

TimeRatio withheld(std::string why) {
  TimeRatio out;
  out.interval = {0, std::numeric_limits<double>::infinity()};
  out.withheld = std::move(why);
  return out;
}

}  // namespace

Result<TimedPair> time_pair(const Engine& engine, const ModelSource& base,
                            const std::vector<HostTensor>& base_inputs, const ModelSource& other,
                            const std::vector<HostTensor>& other_inputs,
                            const TimingOptions& options) {
  TimedPair out;
  {
    ModelTimer first(engine, base, base_inputs, options);
    ModelTimer second(engine, other, other_inputs, options);
    for (bool swap = false; first.wants_more() || second.wants_more(); swap = !swap)
      for (ModelTimer* timer : {swap ? &second : &first, swap ? &first : &second})
        if (timer->wants_more())
          if (auto status = timer->run_session(); !status) return failure(status);
    out.base = first.finish();
    out.other = second.finish();
  }
  give_back_free_memory();
  return out;
}

TimeRatio::Verdict TimeRatio::verdict() const {
  if (!withheld.empty()) return Verdict::Withheld;
  if (interval.low > 1) return Verdict::Faster;
  return interval.high < 1 ? Verdict::Slower : Verdict::NotSure;
}

TimeRatio time_ratio(std::span<const double> base, std::span<const std::size_t> base_sessions,
                     std::span<const double> other, std::span<const std::size_t> other_sessions) {
  const std::vector<double> ours = session_medians(base, base_sessions);
  const std::vector<double> theirs = session_medians(other, other_sessions);
  std::vector<double> logs;
  for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i)
    if (ours[i] > 0 && theirs[i] > 0) logs.push_back(std::log(ours[i] / theirs[i]));
  if (logs.empty()) return withheld("nothing of it was measured in both");
  const auto count = static_cast<double>(logs.size());
  double mean = 0, squares = 0;
  for (const double value : logs) mean += value / count;
  for (const double value : logs) squares += (value - mean) * (value - mean);
  const bool few = logs.size() < 3;
  const double variance = few ? 2 * kUsualSpread * kUsualSpread + squares : squares / (count - 1);
  const double half = std::hypot(
      student_quantile(few ? kUsualFreedom : count - 1) * std::sqrt(variance / count), kUnseen);
  TimeRatio out;
  out.ratio = std::exp(mean);
  out.interval = {std::exp(mean - half), std::exp(mean + half)};
  const std::size_t runs = std::min(base.size(), other.size());
  std::string why = too_few_runs(runs, runs);
  if (why.empty() && out.interval.high <= kWidest * out.interval.low) return out;
  TimeRatio none = withheld(why.empty() ? "sessions differ too much" : std::move(why));
  none.ratio = out.ratio;
  return none;
}

TimeRatio time_ratio(const TimedPair& pair) {
  for (const Timing* timing : {&pair.base, &pair.other})
    if (!timing->center.withheld.empty()) return withheld(timing->center.withheld);
  return time_ratio(pair.base.runs, pair.base.sessions, pair.other.runs, pair.other.sessions);
}

std::vector<std::vector<double>> layer_samples(const Timing& timing,
                                               const std::vector<std::vector<std::string>>& names) {
  TextMap<std::string, std::size_t> layer_of;
  for (std::size_t l = 0; l < names.size(); ++l)
    for (const std::string& name : names[l])
      if (!name.empty()) layer_of.emplace(name, l);
  std::vector<std::vector<double>> samples(names.size());
  for (const KernelTimes& kernel : timing.kernels)
    for (const std::string& node : kernel.kernel.sources) {
      const auto layer = layer_of.find(node);
      if (layer == layer_of.end()) continue;
      std::vector<double>& own = samples[layer->second];
      own.resize(std::max(own.size(), kernel.seconds.size()), 0.0);
      for (std::size_t run = 0; run < kernel.seconds.size(); ++run) own[run] += kernel.seconds[run];
      break;
    }
  return samples;
}

std::vector<TimeRatio> layer_ratios(const TimedPair& pair,
                                    const std::vector<std::vector<std::string>>& names) {
  const auto base = layer_samples(pair.base, names), other = layer_samples(pair.other, names);
  std::string why;
  for (const Timing* timing : {&pair.base, &pair.other})
    if (!timing->center.withheld.empty()) why = timing->center.withheld;
  std::vector<TimeRatio> out;
  for (std::size_t l = 0; l < names.size(); ++l) {
    TimeRatio ratio = base[l].empty() || other[l].empty()
                          ? withheld("it has no kernel of its own in both")
                          : time_ratio(base[l], pair.base.recorded_sessions, other[l],
                                       pair.other.recorded_sessions);
    if (!why.empty() && ratio.withheld.empty()) {
      const double estimate = ratio.ratio;
      ratio = withheld(why);
      ratio.ratio = estimate;
    }
    out.push_back(std::move(ratio));
  }
  return out;
}

}  // namespace strata
