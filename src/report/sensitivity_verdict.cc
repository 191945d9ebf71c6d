// Which layer to look at first, and what leaving it in floats would bring.
#include <fmt/format.h>

#include "base/visible.h"
#include "report/sensitivity_text.h"
#include "report/verdict.h"

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

// Whether the next layer in the ranking may be as bad as the first.
bool is_contested(const SensitivityRun& run, std::size_t first, std::size_t second) {
  const auto a = figures_of(run, first).interval, b = figures_of(run, second).interval;
  return !a || !b || (a->low <= b->high && b->low <= a->high);
}

std::string sureness(const SensitivityRun& run, const std::vector<std::size_t>& order) {
  if (run.random_data || run.random_weights)
    return fmt::format(
        "RANDOM {}: a dry run, which says nothing about real answers. Repeat it "
        "with real {}",
        run.random_data ? "samples" : "weights", run.random_data ? "samples" : "weights");
  if (run.result.partial) return "Not sure: not all layers were measured. Run it to its end";
  const bool contested = order.size() > 1 && is_contested(run, order[0], order[1]);
  std::string text = contested ? fmt::format("Not sure which is the worst: {} may be as bad. ",
                                             visible(run.layers[order[1]].path))
                               : "Sure: its 95 % interval is apart from that of the next. ";
  const auto r = additivity_of(run);
  if (!r) return text + "What leaving it in floats brings is not known";
  if (!is_additive(r))
    return text + fmt::format(
                      "Drops do not add up (R = {:.3g}): try what leaving it in floats "
                      "brings",
                      *r);
  double sum = 0;
  for (const LayerScore& score : run.result.layers)
    sum += drop_of(run.quality, score.alone, run.result.baseline).value_or(0);
  const auto own = figures_of(run, order[0]).drop;
  if (!own || !(sum > 0)) return text + "Nothing is lost by it";
  return text + fmt::format("Leave it in floats: that takes away about {:.0f} % of the loss",
                            100 * *own / sum);
}

}  // namespace

Verdict sensitivity_verdict(const SensitivityRun& run) {
  if (!run.has_scores()) return {};
  const std::vector<std::size_t> order = sensitivity_ranking(run);
  const bool random = run.random_data || run.random_weights;
  return {fmt::format("{} hurts most: {} if it alone is quantized; all {} layers together: {}",
                      visible(run.layers[order[0]].path),
                      figure(run.quality, run.result.layers[order[0]].alone), run.layers.size(),
                      figure(run.quality, run.result.joint)),
          sureness(run, order), random ? Meaning::Refused : Meaning::Plain};
}

}  // namespace strata
