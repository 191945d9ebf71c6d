// The verdict: which layer to look at first, and the gain from leaving it in float.
#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/visible.h"
#include "report/sensitivity_text.h"
#include "report/verdict.h"
#include "sensitivity/scores.h"

namespace strata {

namespace {

std::string figure(Quality quality, const std::vector<SampleScore>& scores) {
  const auto value = score_of(quality, scores);
  if (!value) return "not measured";
  std::string text = quality_with_unit(quality, *value);
  if (const auto interval = value_interval(quality, scores))
    text += fmt::format(" [{}, {}]", quality_text(quality, interval->low),
                        quality_text(quality, interval->high));
  return text;
}

// True if the next layer in the ranking may be as bad as the first.
bool is_contested(const SensitivityRun& run, std::size_t first, std::size_t second) {
  const auto a = figures_of(run, first).interval, b = figures_of(run, second).interval;
  return !a || !b || (a->low <= b->high && b->low <= a->high);
}

std::string dry_run_text(const SensitivityRun& run) {
  const char* what = run.random_data ? "samples" : "weights";
  return fmt::format(
      "RANDOM {}: a dry run, which says nothing about real answers. Repeat it with real {}", what,
      what);
}

// Says how sure it is which layer hurts most alone, and what its share of the drops means.
std::string advice_alone(const SensitivityRun& run, const std::vector<std::size_t>& order) {
  const bool contested = order.size() > 1 && is_contested(run, order[0], order[1]);
  std::string text = contested ? fmt::format("Not sure which is the worst: {} may be as bad. ",
                                             visible(run.layers[order[1]].path))
                               : "Sure: its 95 % interval is apart from that of the next. ";
  const auto r = additivity_of(run);
  const auto share = share_of_drops(run, order[0]);
  if (!r || !share) return text + "Leave-one-out measures what keeping it in float would gain";
  if (!is_additive(r))
    return text + fmt::format(
                      "Drops do not add up (R = {:.3g}): leave-one-out measures what keeping it "
                      "in float gains",
                      *r);
  return text + fmt::format(
                    "It has {:.0f} % of the drops (R = {:.3g}); leave-one-out measures what "
                    "keeping it in float gains",
                    100 * *share, *r);
}

std::string gain_text(const SensitivityRun& run, std::size_t layer) {
  return fmt::format("{} ({:.0f} %)", visible(run.layers[layer].path),
                     100 * *left_out_gain(run, layer));
}

// Names the layers that cannot be told apart from the best: `: b (19 %) takes away as much within
// the noise of 32 samples`.
std::string rivals_text(const SensitivityRun& run, std::size_t best) {
  constexpr std::size_t kMost = 3;
  const std::size_t samples = run.result.layers[best].left_out.size();
  if (samples < kFewestForInterval && run.layers.size() > 1)
    return fmt::format(". {} {} too few to tell it apart from others", samples,
                       samples == 1 ? "sample is" : "samples are");
  const std::vector<std::size_t> rivals = gain_as_much(run);
  if (rivals.empty()) return "";
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kMost, rivals.size()); ++i)
    names.push_back(gain_text(run, rivals[i]));
  if (rivals.size() > kMost) names.push_back(fmt::format("{} more", rivals.size() - kMost));
  const std::string last = std::move(names.back());
  names.pop_back();
  return fmt::format(": {}{}{} {} away as much within the noise of {} samples",
                     fmt::join(names, ", "), names.empty() ? "" : " and ", last,
                     rivals.size() == 1 ? "takes" : "take", samples);
}

// Says which pair takes away the most, if two take away more than one; empty otherwise.
std::string pair_text(const SensitivityRun& run, double alone) {
  const PairScore* best = most_gained_pair(run);
  if (best == nullptr || !(*gain_of(run, best->left_out) > alone)) return "";
  const std::vector<PairScore>& pairs = run.result.pairs;
  const auto rivals = std::count_if(pairs.begin(), pairs.end(), [&](const PairScore& pair) {
    return &pair != best && gains_as_much(run, pair);
  });
  const std::size_t layers = run.layers.size(), all = layers * (layers - 1) / 2;
  std::string text =
      all > pairs.size()
          ? fmt::format("Of the {} pairs that were tried ({} exist), ", pairs.size(), all)
          : fmt::format("Of all {} pairs, ", all);
  text +=
      fmt::format("{} and {} take away the most: {:.0f} %", visible(run.layers[best->first].path),
                  visible(run.layers[best->second].path), 100 * *gain_of(run, best->left_out));
  if (rivals > 0)
    text += fmt::format("; {} other{} away as much within the noise", rivals,
                        rivals == 1 ? " takes" : "s take");
  return text + ". ";
}

// Follows what was measured with one layer in float at a time.
Verdict verdict_left_out(const SensitivityRun& run, const std::vector<std::size_t>& order,
                         std::size_t best) {
  const double gain = *left_out_gain(run, best);
  const std::string name = visible(run.layers[best].path);
  const std::string all = fmt::format("all {} layers together: {}", run.layers.size(),
                                      figure(run.quality, run.result.joint));
  if (!(gain > 0))
    return {fmt::format("no single layer helps if it stays in float; {}", all),
            "Keep several layers in float, or none"};
  std::string advice = fmt::format("Measured, layer by layer{}. ", rivals_text(run, best));
  if (const auto own = left_out_gain(run, order[0]); order[0] != best)
    advice += fmt::format("{} hurts most alone, but keeping it in float takes away {}. ",
                          visible(run.layers[order[0]].path),
                          own ? fmt::format("{:.0f} %", 100 * *own) : "an unknown part");
  advice += pair_text(run, gain);
  if (!shares_hold(run)) advice += "These shares do not add up. ";
  advice.pop_back();
  return {fmt::format("Keep {} in float: that takes away {:.0f} % of the loss, {}; {}", name,
                      100 * gain, figure(run.quality, run.result.layers[best].left_out), all),
          advice};
}

Verdict verdict_of(const SensitivityRun& run) {
  const std::vector<std::size_t> order = sensitivity_ranking(run);
  const std::string all = fmt::format("all {} layers together: {}", run.layers.size(),
                                      figure(run.quality, run.result.joint));
  if (const auto worst = figures_of(run, order[0]).drop; worst && !(*worst > 0)) {
    const auto together = drop_of(run.quality, run.result.joint, run.result.baseline);
    return {fmt::format("no layer hurts: {} if any one is quantized, as in float; {}",
                        figure(run.quality, run.result.layers[order[0]].alone), all),
            together && *together > 0 ? "Only several layers together lose something"
                                      : "Nothing is lost by this metric"};
  }
  if (const auto best = most_gained(run)) return verdict_left_out(run, order, *best);
  return {fmt::format("{} hurts most: {} if it alone is quantized; {}",
                      visible(run.layers[order[0]].path),
                      figure(run.quality, run.result.layers[order[0]].alone), all),
          advice_alone(run, order)};
}

}  // namespace

Verdict sensitivity_verdict(const SensitivityRun& run) {
  if (!run.has_scores()) return {};
  Verdict out = verdict_of(run);
  if (run.random_data || run.random_weights) {
    out.advice = dry_run_text(run);
    out.meaning = Meaning::Refused;
  } else if (run.result.partial) {
    out.advice = "Not sure: not all layers were measured. Run it to its end";
  }
  return out;
}

}  // namespace strata
