#include "cli/optimize_report.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "report/bench_text.h"
#include "strata/base/number_text.h"

namespace strata::cli {

namespace {

constexpr double kWide = 0.05;  // half an interval, of its median

// `8min`, `40s`: four times the budget halves the intervals.
std::string longer_budget(double seconds) {
  const double more = 4 * seconds;
  return more >= 120 ? fmt::format("{:.0f}min", std::ceil(more / 60)) : fmt::format("{:g}s", more);
}

std::string width_text(const SpeedUp& ratio) {
  return fmt::format("±{:.0f} %", 100 * ratio.half_width());
}

std::string check_text(const std::optional<SpeedUp>& check) {
  if (!check) return "not measured: interrupted";
  if (!std::isfinite(check->interval.high)) return "?";
  return fmt::format("{:.3f}× [{:.3f}, {:.3f}]{}", check->median, check->interval.low,
                     check->interval.high, check->interval.high < 1 ? ": slower" : "");
}

}  // namespace

std::vector<std::string> doubts(const OptimizeOutcome& outcome) {
  std::vector<std::string> out;
  const BenchResult& last = outcome.last;
  const SpeedUp& gain = outcome.gain();
  const bool is_base = last.base == *last.winner;
  if (!is_base && !gain.certain())
    out.push_back(fmt::format("it may be no faster than {}", variant_text(outcome.base().variant)));
  else if (!is_base && gain.half_width() > kWide)
    out.push_back(fmt::format("the speed-up is known to {}", width_text(gain)));
  std::vector<std::string> others;
  for (const std::size_t other : last.indistinct)
    if (other != last.base || is_base) others.push_back(variant_text(last.variants[other].variant));
  if (!others.empty()) out.push_back(fmt::format("as fast may be {}", fmt::join(others, ", ")));
  if (outcome.check && !(outcome.check->half_width() <= kWide))
    out.push_back(std::isfinite(outcome.check->half_width())
                      ? fmt::format("how fast the file is as written is known to {}",
                                    width_text(*outcome.check))
                      : "the time was too short to check the file");
  return out;
}

std::string random_warning(const OptimizeOutcome& outcome) {
  if (!outcome.answer || !outcome.answer->random) return "";
  return "RANDOM samples: the int8 model was calibrated and judged on made-up data; its answers "
         "on real data are not known. A dry run, not a model to use";
}

std::string optimize_text(const OptimizeOutcome& outcome) {
  const SpeedUp& gain = outcome.gain();
  const std::string warning = random_warning(outcome);
  std::string text = warning.empty() ? "" : fmt::format("WARNING: {}\n", warning);
  text += fmt::format(
      "{}: {}, {}, {} over {}\n", outcome.output, variant_text(outcome.winner().variant),
      human_seconds(outcome.winner().summary().median), speed_up_text(gain.median, gain.interval),
      variant_text(outcome.base().variant));
  if (outcome.answer && outcome.answer->sqnr)
    text += fmt::format("  answers: SQNR {:.1f} dB{} over {} {}samples\n", *outcome.answer->sqnr,
                        outcome.answer->top1
                            ? fmt::format(", the same class for {:.1f} %", *outcome.answer->top1)
                            : "",
                        outcome.answer->samples, outcome.answer->random ? "RANDOM " : "");
  text += fmt::format("  as written, against as measured: {}\n", check_text(outcome.check));
  if (const auto unsure = doubts(outcome); !unsure.empty())
    text += fmt::format("  not sure: {}; --budget {} would say more\n", fmt::join(unsure, "; "),
                        longer_budget(outcome.budget_seconds));
  return text +
         fmt::format("  run it: {}\n  receipt: {}.receipt.json\n", outcome.command, outcome.output);
}

std::string optimize_receipt(const OptimizeOutcome& outcome, const BenchRun& tried) {
  using Json = nlohmann::ordered_json;
  const auto known = [](const std::optional<double>& number) {
    return number ? Json(*number) : Json(nullptr);
  };
  const auto interval = [](const SpeedUp& ratio) {  // an open end becomes null
    return Json{ratio.interval.low, ratio.interval.high};
  };
  const VariantResult& winner = outcome.winner();
  Json receipt = {
      {"schema", 1},
      {"model", outcome.model},
      {"output", outcome.output},
      {"command", outcome.command},
      {"engine", winner.processes.front().open.engine},
      {"style", winner.variant.style},
      {"precision", winner.variant.precision()},
      {"threads", winner.variant.session.threads},
      {"median_s", winner.summary().median},
      {"speed_up", outcome.gain().median},
      {"speed_up_interval", interval(outcome.gain())},
      {"speed_up_over", outcome.base().variant.label()},
      {"written_against_measured", outcome.check ? interval(*outcome.check) : Json(nullptr)},
      {"not_sure", doubts(outcome)},
      {"warning", random_warning(outcome).empty() ? Json(nullptr) : Json(random_warning(outcome))},
      {"notes", outcome.notes},
      {"tried", Json::parse(bench_to_json(tried))}};
  if (outcome.answer)
    receipt["answers"] = {{"samples", outcome.answer->samples},
                          {"random", outcome.answer->random},
                          {"sqnr_db", known(outcome.answer->sqnr)},
                          {"top1_percent", known(outcome.answer->top1)}};
  return receipt.dump(2) + "\n";
}

}  // namespace strata::cli
