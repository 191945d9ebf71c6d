#include "report/sensitivity_text.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/visible.h"
#include "strata/base/number_text.h"

namespace strata {

namespace {

bool is_share(Quality quality) { return quality == Quality::Top1 || quality == Quality::Accuracy; }

std::size_t layers_measured(const SensitivityRun& run) {
  return static_cast<std::size_t>(
      std::count_if(run.result.layers.begin(), run.result.layers.end(),
                    [](const LayerScore& score) { return !score.alone.empty(); }));
}

std::string rounding_text(const Rounding& rounding) {
  if (!rounding.activations) return fmt::format("weights of {} bits", rounding.weight_bits);
  if (!rounding.weights) return fmt::format("activations of {} bits", rounding.activation_bits);
  return fmt::format("weights and activations of {} bits", rounding.weight_bits);
}

std::string baseline_text(const SensitivityRun& run) {
  const auto floats = score_of(run.quality, run.result.baseline);
  if (run.quality == Quality::Sqnr)
    return "baseline: floats against themselves have no noise; more dB is better";
  if (!floats) return "baseline: not known";
  return fmt::format("baseline, all in float: {}; {} is better",
                     quality_with_unit(run.quality, *floats),
                     run.quality == Quality::Kl ? "less" : "more");
}

std::string joint_text(const SensitivityRun& run) {
  const auto all = score_of(run.quality, run.result.joint);
  if (!all) return "all layers together: not measured";
  std::string text = fmt::format("all {} layers together: {}", run.layers.size(),
                                 quality_with_unit(run.quality, *all));
  if (const auto interval = value_interval(run.quality, run.result.joint))
    text += fmt::format(" [{}, {}]", quality_text(run.quality, interval->low),
                        quality_text(run.quality, interval->high));
  if (const std::size_t own = run.result.joint.size(); std::cmp_not_equal(own, run.samples))
    text += fmt::format(", on {} of {} samples", own, run.samples);
  return text;
}

std::string additivity_text(const SensitivityRun& run, const Phrase& phrase) {
  const auto r = additivity_of(run);
  if (!r) {
    const auto all = drop_of(run.quality, run.result.joint, run.result.baseline);
    if (all && !(*all > 0)) return "R is not known: all layers together lose nothing";
    const auto part = additivity_so_far(run.result, run.quality);
    const std::size_t measured = layers_measured(run);
    if (!part || measured == 0) return "R is not known: not all layers have been measured";
    return fmt::format(
        "R is not known yet: the {} of {} layers that have been measured add up to {:.3g} times "
        "the drop of all together",
        measured, run.layers.size(), *part);
  }
  std::string text = fmt::format(
      "R = {:.3g}: the layers' own drops add up to {:.3g} times the drop of all together", *r, *r);
  if (const auto layer = refuted_share(run); layer && is_additive(r))
    return text +
           fmt::format(
               ", but shares do not add up here: {} has {:.0f} % of the drops, and leaving it "
               "in float brings {:.0f} %",
               visible(run.layers[*layer].path), 100 * *share_of_drops(run, *layer),
               100 * *left_out_gain(run, *layer));
  if (is_additive(r) && most_gained(run))
    return text + "; leaving one layer at a time in float brings about its share";
  if (is_additive(r)) {
    text += "; a share is what a layer does alone. What leaving it in float brings may differ";
    return phrased(phrase, make_error(Code::NotAdditive, {}, std::move(text)));
  }
  text += fmt::format(
      ", outside of {:g} to {:g}: drops do not add up here. The order says which layer hurts most "
      "alone, not what leaving it in float brings",
      kAdditiveLow, kAdditiveHigh);
  return phrased(phrase, make_error(Code::NotAdditive, {}, std::move(text)));
}

std::string passes_text(const SensitivityRun& run) {
  const Sensitivity& result = run.result;
  std::string text = fmt::format("{:.1f} passes of the network", result.passes);
  if (result.naive_passes > 0)
    text += fmt::format("; a loop over layers and samples takes {:.0f} ({:.3g} times as many)",
                        result.naive_passes,
                        result.passes > 0 ? result.naive_passes / result.passes : 0);
  if (result.kept_bytes == 0) return text + "; no activations kept";
  return text + fmt::format("; activations kept in {}",
                            human_bytes(static_cast<double>(result.kept_bytes)));
}

std::string partial_text(const SensitivityRun& run) {
  const auto whole = std::count_if(run.result.layers.begin(), run.result.layers.end(),
                                   [&](const LayerScore& score) {
                                     return std::cmp_greater_equal(score.alone.size(), run.samples);
                                   });
  std::string text = fmt::format("PARTIAL: {} of {} layers were measured", layers_measured(run),
                                 run.layers.size());
  if (!run.budgeted) text += fmt::format(", {} of them on all {} samples", whole, run.samples);
  return text;
}

std::string alike_text(const SensitivityRun& run, const AlikeBlocks& alike) {
  std::string text = fmt::format(
      "{} blocks alike ({} to {}) with {} layers: {} samples at first for {} of them, 1 for {} "
      "that "
      "these stand for",
      alike.blocks.size(), alike.blocks.front(), alike.blocks.back(), alike.layers,
      run.result.first_samples, alike.standing, alike.members);
  if (const std::size_t own = alike.layers - alike.standing - alike.members; own > 0)
    text += fmt::format(", {} on their own", own);
  return text + "\n";
}

std::string budget_text(const SensitivityRun& run) {
  const Sensitivity& result = run.result;
  std::string text = "a budget: n is the number of samples that a layer got\n";
  const bool once = std::all_of(result.layers.begin(), result.layers.end(),
                                [](const LayerScore& l) { return l.alone.size() <= 1; });
  if (once && result.budget_passes > 0 && result.passes > result.budget_passes)
    text += fmt::format(
        "the budget of {:.1f} passes is less than one sample of each layer takes: nothing was "
        "left for more\n",
        result.budget_passes);
  constexpr std::size_t kMost = 4;
  if (result.first_samples > 1) {
    for (std::size_t i = 0; i < std::min(kMost, result.alike.size()); ++i)
      text += alike_text(run, result.alike[i]);
    if (result.alike.size() > kMost)
      text += fmt::format("and {} more such groups of blocks\n", result.alike.size() - kMost);
  }
  return text;
}

}  // namespace

std::string quality_title(Quality quality) {
  switch (quality) {
    case Quality::Sqnr:
      return "SQNR (dB)";
    case Quality::Cosine:
      return "Cosine";
    case Quality::Kl:
      return "KL (nats)";
    case Quality::Top1:
      return "Top-1 (%)";
    case Quality::Accuracy:
      return "Accuracy (%)";
    case Quality::Command:
      return "Command";
  }
  return "?";
}

std::string quality_text(Quality quality, double value) {
  if (std::isinf(value)) return value > 0 ? "∞" : "-∞";
  switch (quality) {
    case Quality::Sqnr:
    case Quality::Top1:
    case Quality::Accuracy:
      return fmt::format("{:.1f}", value);
    case Quality::Cosine:
      return fmt::format("{:.6f}", value);
    case Quality::Kl:
    case Quality::Command:
      break;
  }
  return fmt::format("{:.4g}", value);
}

std::string quality_with_unit(Quality quality, double value) {
  const std::string_view of = unit_of(quality);
  return quality_text(quality, value) + (of.empty() ? "" : " ") + std::string(of);
}

std::string drop_text(Quality quality, double drop) {
  return is_share(quality) ? fmt::format("{:.1f} %", 100 * drop) : fmt::format("{:.2e}", drop);
}

LayerFigures figures_of(const SensitivityRun& run, std::size_t layer) {
  const LayerScore& score = run.result.layers[layer];
  LayerFigures out;
  out.samples = score.alone.size();
  out.value = score_of(run.quality, score.alone);
  out.drop = drop_of(run.quality, score.alone, run.result.baseline);
  out.interval = value_interval(run.quality, score.alone);
  out.left_out = score_of(run.quality, score.left_out);
  out.left_out_drop = drop_of(run.quality, score.left_out, run.result.baseline);
  return out;
}

std::optional<double> additivity_of(const SensitivityRun& run) {
  return additivity(run.result, run.quality);
}

bool is_additive(std::optional<double> r) { return r && *r >= kAdditiveLow && *r <= kAdditiveHigh; }

bool SensitivityRun::has_scores() const {
  return std::any_of(result.layers.begin(), result.layers.end(),
                     [](const LayerScore& score) { return !score.alone.empty(); });
}

void add_findings(SensitivityRun& run, const std::vector<QuantLayer>& layers) {
  const Quality quality = is_share(run.quality) ? Quality::Sqnr : run.quality;
  std::vector<std::optional<double>> drops;
  for (const LayerScore& score : run.result.layers)
    drops.push_back(drop_of(quality, score.alone, run.result.baseline));
  run.findings = find_patterns(layers, drops);
}

std::vector<std::size_t> sensitivity_ranking(const SensitivityRun& run) {
  std::vector<std::size_t> order(run.result.layers.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::optional<double>> drops, noise;
  for (const LayerScore& score : run.result.layers) {
    drops.push_back(drop_of(run.quality, score.alone, run.result.baseline));
    noise.push_back(drop_of(Quality::Sqnr, score.alone, run.result.baseline));
  }
  // Shares have many ties: the noise decides them. nullopt is the least.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return drops[a] != drops[b] ? drops[a] > drops[b] : noise[a] > noise[b];
  });
  return order;
}

std::string sensitivity_method(const SensitivityRun& run, const Phrase& phrase) {
  std::string out;
  const auto line = [&](const std::string& text) { out += text + "\n"; };
  if (run.random_data) line("RANDOM samples: a dry run; these figures say nothing about real data");
  if (run.random_weights)
    line(
        "RANDOM weights: the order is that of a network that was never trained, and says "
        "nothing of accuracy");
  line(fmt::format("one layer at a time has {}, the rest is in float; ranges: {}",
                   rounding_text(run.rounding), run.ranges));
  line(fmt::format("samples: {}; run on {}", run.data, run.engine));
  line(baseline_text(run));
  line(joint_text(run));
  line(additivity_text(run, phrase));
  line(passes_text(run));
  if (run.budgeted) out += budget_text(run);
  return out;
}

std::string sensitivity_findings(const SensitivityRun& run) {
  std::string out;
  const auto line = [&](const std::string& text) { out += text + "\n"; };
  if (run.result.partial) line(partial_text(run));
  if (run.findings.empty()) {
    if (layers_measured(run) > 0)
      line("findings: no layer and no kind of layer stands out clearly");
    return out;
  }
  line(fmt::format("findings{}:", is_share(run.quality) ? ", by the noise of the outputs" : ""));
  for (const Finding& finding : run.findings) line("  " + finding.sentence);
  return out;
}

}  // namespace strata
