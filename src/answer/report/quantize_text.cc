#include "report/quantize_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/visible.h"
#include "bench/ratio.h"
#include "report/footer.h"
#include "strata/base/number_text.h"

namespace strata {

namespace {

constexpr std::size_t kShown = 6;

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string listed(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kShown);
  return fmt::format(
      "{}{}",
      visible(fmt::format(
          "{}",
          fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "))),
      names.size() > shown ? fmt::format(" and {} more", names.size() - shown) : "");
}

std::string kept_text(const QuantizeOutcome& outcome, std::string_view reason,
                      std::string_view words) {
  std::vector<std::string> names;
  for (const QuantizedLayer& layer : outcome.layers)
    if (!layer.int8 && layer.reason == reason) names.push_back(layer.path);
  return names.empty() ? "" : fmt::format("in float {}: {}\n", words, listed(names));
}

// A layer in float whose output is rounded for the next one still loses there.
std::string edges_text(const QuantizeReport& report) {
  const QuantizeOutcome& outcome = report.outcome;
  std::vector<std::string> rounded, exact;
  for (const QuantizedLayer& layer : outcome.layers) {
    if (layer.int8 || (!layer.input_rounded && !layer.output_rounded)) continue;
    rounded.push_back(fmt::format("{} ({})", layer.path,
                                  !layer.output_rounded  ? "input"
                                  : !layer.input_rounded ? "output"
                                                         : "input and output"));
  }
  for (const QuantizedTensor& tensor : outcome.tensors)
    if (tensor.reason == "named" || tensor.reason == "answers") exact.push_back(tensor.label);
  std::string text;
  if (!exact.empty()) text += fmt::format("activations in float: {}\n", listed(exact));
  if (!rounded.empty())
    text += fmt::format("still rounded beside layers in float: {}{}\n", listed(rounded),
                        exact.empty() ? report.advice.keep_output : "");
  return text;
}

std::string target_text(const AnswerTarget& target) {
  std::vector<std::string> parts;
  if (target.min_sqnr) parts.push_back(fmt::format("SQNR of {:g} dB or more", *target.min_sqnr));
  if (target.max_drop)
    parts.push_back(
        fmt::format("another class for at most {:g} % of the samples", 100 * *target.max_drop));
  return fmt::format("{}", fmt::join(parts, " and "));
}

std::string answers_text(const QuantizeReport& report) {
  const QuantizeOutcome& outcome = report.outcome;
  if (outcome.got.empty()) return "";
  const auto cosine = score_of(Quality::Cosine, outcome.got);
  const auto top1 = score_of(Quality::Top1, outcome.got);
  std::vector<std::string> parts;
  if (const std::string text = sqnr_text(outcome.got); !text.empty()) parts.push_back(text);
  if (cosine) parts.push_back(fmt::format("cosine {:.5f}", *cosine));
  if (top1) parts.push_back(fmt::format("the same class for {:.1f} %", *top1));
  std::string text =
      fmt::format("answers: {} on {} held out\n", fmt::join(parts, ", "),
                  counted(outcome.got.size(), report.random_data ? "RANDOM sample" : "sample"));
  if (outcome.chosen_on > 0)
    text += outcome.judged_on_others
                ? fmt::format("chosen on {}, judged on {} others\n",
                              counted(outcome.chosen_on, "sample"), outcome.got.size())
                : fmt::format(
                      "chosen and judged on the same {}, which flatters the choice: 8 or "
                      "more would be split{}\n",
                      counted(outcome.chosen_on, "sample"), report.advice.more_samples);
  if (const std::string promised = sqnr_text(outcome.promised); !promised.empty())
    text += fmt::format("promised: {}, by rounding the same parts of the float model{}\n", promised,
                        outcome.kept_promise() ? "" : "; whether the file reaches that is unknown");
  return text;
}

std::string latency_text(const QuantizeReport& report) {
  const QuantizeOutcome& outcome = report.outcome;
  if (!outcome.bench || outcome.bench->variants.size() != 2) return "";
  const VariantResult &floats = outcome.bench->variants[0], &written = outcome.bench->variants[1];
  for (const VariantResult* each : {&floats, &written})
    if (each->failure != Failure::None)
      return fmt::format("latency: {}: {}\n", failure_name(each->failure), each->reason);
  const auto found = whole_speed_up(outcome);
  if (!found) return "latency: stopped before there was a comparison\n";
  const bool known = std::isfinite(found->interval.high) && found->interval.low > 0;
  const double before = floats.summary().median, after = written.summary().median;
  const std::string medians =
      fmt::format("latency: {} → {}", human_seconds(before), human_seconds(after));
  const std::string quotient = fmt::format("{:.2f}×", before / after);
  const std::string speed_up = fmt::format("{:.2f}×", found->median);
  std::string text;
  if (!known)
    text =
        fmt::format("{}: no speedup is claimed: {}\n", medians,
                    found->withheld.empty() ? "too short for an interval" + report.advice.more_time
                                            : found->withheld);
  else
    text = fmt::format("{}: {}{} [{:.2f}, {:.2f}]\n", medians, quotient,
                       quotient == speed_up
                           ? ""
                           : fmt::format(" of the medians; {} from blocks side by side", speed_up),
                       found->interval.low, found->interval.high);
  if (known && found->interval.high < 1)
    text += "the written model is SLOWER than the floats on this machine\n";
  std::size_t slower = 0, unsure = 0, timed = 0;
  for (const QuantizedLayer& layer : outcome.layers) {
    const auto& ratio = layer.speed_up;
    if (!layer.int8 || !ratio) continue;
    ++timed;
    slower += ratio->sure() && ratio->ratio < 1 ? 1 : 0;
    unsure += ratio->sure() ? 0 : 1;
  }
  for (const RestRow& rest : outcome.rest)
    if (rest.name == "outside kernels" && (rest.floats.median < 0 || rest.written.median < 0))
      text +=
          "the time outside of kernels is not known: kernels that are timed one by one add up to "
          "more than a whole run\n";
  if (slower > 0)
    text += fmt::format("{} {} slower in int8 than in float\n", counted(slower, "layer"),
                        slower == 1 ? "is" : "are");
  if (unsure > 0)
    text += fmt::format("of {} in int8, {} may be faster or slower: their intervals cover 1\n",
                        counted(timed, "timed layer"), unsure);
  return text;
}

std::string precision_text(const QuantizeOutcome& outcome) {
  if (!outcome.not_looked.empty()) return "which precision the layers run in is unknown\n";
  std::vector<std::string> floats;
  std::size_t int8 = 0, unknown = 0;
  for (const QuantizedLayer& layer : outcome.layers) {
    int8 += layer.runs == RunsIn::Int8 ? 1 : 0;
    unknown += layer.runs == RunsIn::Unknown ? 1 : 0;
    if (layer.int8 && layer.runs == RunsIn::Float) floats.push_back(layer.path);
  }
  std::string text = fmt::format("the engine runs {} of {} in int8", int8,
                                 counted(outcome.layers.size(), "layer"));
  if (unknown > 0) text += fmt::format("; of {} it does not say", unknown);
  text += "\n";
  if (!floats.empty())
    text += fmt::format("written for int8, but run in float: {}\n", listed(floats));
  return text;
}

}  // namespace

std::string sqnr_text(const std::vector<SampleScore>& scores) {
  const auto sqnr = score_of(Quality::Sqnr, scores);
  if (!sqnr) return "";
  std::string text = fmt::format("SQNR {:.1f} dB", *sqnr);
  if (const auto interval = value_interval(Quality::Sqnr, scores))
    text += fmt::format(" [{:.1f}, {:.1f}]", interval->low, interval->high);
  return text;
}

std::optional<SpeedUp> whole_speed_up(const QuantizeOutcome& outcome) {
  return outcome.bench ? speed_up_over_first(*outcome.bench) : std::nullopt;
}

std::vector<std::string> quantize_warnings(const QuantizeReport& report) {
  const QuantizeOutcome& outcome = report.outcome;
  std::vector<std::string> warnings;
  const auto sqnr = score_of(Quality::Sqnr, outcome.got);
  if (sqnr && *sqnr < kGoodSqnr)
    warnings.push_back(fmt::format("the answers are bad: SQNR {:.1f} dB, below {:g} dB{}", *sqnr,
                                   kGoodSqnr, report.automatic ? "" : report.advice.keep_auto));
  if (!outcome.kept_promise().value_or(true))
    warnings.push_back(
        fmt::format("the written model does not reach what was promised: {} promised, {} got",
                    sqnr_text(outcome.promised), sqnr_text(outcome.got)));
  return warnings;
}

std::string quantize_head(const QuantizeReport& report) {
  const QuantizeOutcome& outcome = report.outcome;
  std::size_t int8 = 0;
  for (const QuantizedLayer& layer : outcome.layers) int8 += layer.int8 ? 1 : 0;
  std::string text = fmt::format(
      "{}: {} of {} in int8, and {} between them; {} → {} ({:.2f}×)\n", report.output, int8,
      counted(outcome.layers.size(), "layer"), counted(outcome.int8_nodes, "operator"),
      human_bytes(static_cast<double>(report.float_bytes)),
      human_bytes(static_cast<double>(outcome.int8_bytes)),
      static_cast<double>(report.float_bytes) /
          static_cast<double>(std::max<std::int64_t>(outcome.int8_bytes, 1)));
  text += precision_text(outcome);
  text += answers_text(report);
  if (outcome.target)
    text += fmt::format("target: {}: met; {} tried\n", target_text(*outcome.target),
                        counted(static_cast<std::size_t>(outcome.tried), "model"));
  text += latency_text(report);
  text += kept_text(outcome, "named", "as asked");
  text += kept_text(outcome, "answers", "for the answers");
  text += kept_text(outcome, "speed", "for speed");
  text += kept_text(outcome, "edge", "because an activation beside it is");
  text += edges_text(report);
  text += fmt::format("nodes in float: {}, {}\n", report.exclude,
                      counted(outcome.excluded.size(), "name"));
  return text;
}

std::vector<Note> quantize_notes(const QuantizeReport& report) {
  const QuantizeOutcome& outcome = report.outcome;
  std::vector<Note> notes;
  const auto urgent = [&](std::string text) { notes.emplace_back(std::move(text), true); };
  if (report.random_data)
    urgent("RANDOM samples: a dry run; ranges and answers say nothing about real data");
  if (report.random_weights)
    urgent("RANDOM weights: a network of the zoo; its answers say nothing of a trained one");
  if (report.reduced_range)
    notes.emplace_back("weights have 7 bits: this processor cuts off products of 8 bits");
  if (!outcome.not_judged.empty()) urgent("answers were not judged: " + outcome.not_judged);
  if (!outcome.not_looked.empty())
    urgent("the precision of the layers is unknown, including those that should stay in float: " +
           outcome.not_looked);
  if (!outcome.not_timed.empty()) urgent("times were not measured: " + outcome.not_timed);
  if (outcome.disturbed)
    urgent("other work disturbed the times of layers: none of their speedups is certain");
  notes.emplace_back(fmt::format("run on {}; ranges by {}", report.engine, report.ranges));
  return notes;
}

}  // namespace strata
