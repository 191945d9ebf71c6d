#include "report/summary_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "strata/base/number_text.h"

namespace strata {

namespace {

constexpr double kEfficient = 30;    // percent of the compute roof; depthwise kernels stay below it
constexpr double kMuchFaster = 150;  // percent of the bandwidth of memory

// Why a layer takes its time, as the end of a sentence; empty if nobody knows.
std::string reason_text(const RoofPlace& place) {
  if (place.bound.empty() || !place.percent) return place.bound.empty() ? "" : ", " + place.bound;
  const std::string roof = fmt::format("{:.2g} % of the roof", *place.percent);
  if (place.bound == "compute" && *place.percent < kEfficient)
    return ", compute bound in a slow kernel: " + roof;
  if (place.bound == "compute") return ", compute bound at " + roof;
  if (place.bound == "memory") return ", bandwidth bound at " + roof;
  if (place.bound == "caches" && *place.percent < kMuchFaster)
    return ", bandwidth bound: data from caches";
  if (place.bound == "caches")
    return fmt::format(", bandwidth bound: data from caches, {:.2g} times as fast as from memory",
                       *place.percent / 100);
  return ", mostly overhead: it reaches " + roof;
}

std::string slowest_text(const Profile& profile) {
  const auto& slowest = profile.summary->slowest;
  if (slowest.empty() || !profile.timing || profile.timing->median <= 0) return "";
  double sum = 0;
  std::size_t width = 0;
  for (const auto& slow : slowest) {
    sum += slow.seconds;
    width = std::max(width, display_width(slow.layer));
  }
  const auto percent = [&](double seconds) { return 100 * seconds / profile.timing->median; };
  std::string out = fmt::format("Slowest, with {:.0f} % of the time:\n", percent(sum));
  for (const auto& slow : slowest)
    out += fmt::format("  {}{}  {} ({:.1f} %){}\n", slow.layer,
                       std::string(width - display_width(slow.layer), ' '),
                       human_seconds(slow.seconds), percent(slow.seconds), reason_text(slow.place));
  return out;
}

}  // namespace

std::string summary_text(const Profile& profile, bool exact) {
  if (!profile.summary) return "";
  const Profile::Summary& summary = *profile.summary;
  const auto bytes = [&](const Expr& size) {
    return expr_text(size, NumberStyle::Bytes, exact) + (exact ? " B" : "");
  };
  std::string out = slowest_text(profile);
  out += fmt::format("Total: {} parameter{} ({})",
                     expr_text(summary.params, NumberStyle::Plain, exact),
                     summary.params.is(1) ? "" : "s", bytes(summary.param_bytes));
  if (summary.counts_macs)
    out += fmt::format(", {}{} MACs", summary.macs_work == Certainty::Exact ? "" : "≥",
                       expr_text(summary.macs.floor(), NumberStyle::Plain, exact));
  const Profile::Memory& memory = profile.memory;
  const Expr all = summary.param_bytes + memory.peak_bytes;
  if (!memory.peak_layer.empty() && all.is_number())
    out += fmt::format("; memory {}{}: weights and activations at their peak",
                       memory.certainty == Certainty::Exact ? "" : "≥", bytes(all));
  if (profile.timing) {
    const TimingFacts& timing = *profile.timing;
    out += fmt::format("; {} a run{}", human_seconds(timing.median), view_text(timing.view));
    if (timing.high > 0)
      out +=
          fmt::format(" (95 %: {} to {})", human_seconds(timing.low), human_seconds(timing.high));
  }
  out += '\n';
  const auto &params = summary.most_params, &macs = summary.most_macs;
  if (params && macs)
    out +=
        fmt::format("Largest: {} has {:.1f} % of the parameters{} {:.1f} % of the MACs\n",
                    params->layer, 100 * params->share,
                    params->layer == macs->layer ? " and" : ", " + macs->layer, 100 * macs->share);
  return out;
}

}  // namespace strata
