#include "strata/report/optimize.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/bench_text.h"
#include "report/verdict.h"
#include "strata/base/number_text.h"

namespace strata {

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
  if (!std::isfinite(check->interval.high)) return "not known: the time was too short";
  return fmt::format("{:.3f}× [{:.3f}, {:.3f}]{}", check->median, check->interval.low,
                     check->interval.high, check->interval.high < 1 ? ": slower" : "");
}

}  // namespace

std::vector<std::string> optimize_doubts(const OptimizedModel& optimized) {
  std::vector<std::string> out;
  const BenchResult& last = optimized.last;
  const SpeedUp& gain = optimized.gain();
  const bool is_base = last.base == *last.winner;
  if (!is_base && !gain.certain())
    out.push_back(
        fmt::format("it may be no faster than {}", variant_text(optimized.base().variant)));
  else if (!is_base && gain.half_width() > kWide)
    out.push_back(fmt::format("the speedup is known to {}", width_text(gain)));
  std::vector<std::string> others;
  for (const std::size_t other : last.indistinct)
    if (other != last.base || is_base) others.push_back(variant_text(last.variants[other].variant));
  if (!others.empty()) out.push_back(fmt::format("as fast may be {}", fmt::join(others, ", ")));
  if (optimized.check && !(optimized.check->half_width() <= kWide))
    out.push_back(std::isfinite(optimized.check->half_width())
                      ? fmt::format("the speed of the written file is known to {}",
                                    width_text(*optimized.check))
                      : "the time was too short to check the file");
  return out;
}

std::string random_warning(const OptimizedModel& optimized) {
  if (!optimized.answer || !optimized.answer->random) return "";
  return "RANDOM samples: the int8 model was calibrated and judged on made-up data; its answers "
         "on real data are not known. A dry run, not a model to use";
}

namespace {

std::string answer_text(const OptimizedModel& optimized) {
  const SpeedUp& gain = optimized.gain();
  const std::string found =
      fmt::format("{}: {}, {}", optimized.output, variant_text(optimized.winner().variant),
                  human_seconds(optimized.winner().summary().median));
  if (optimized.last.base == *optimized.last.winner)
    return found + ": the model already runs in the fastest configuration";
  return fmt::format("{}, {} over {}", found, speed_up_text(gain.median, gain.interval),
                     variant_text(optimized.base().variant));
}

std::string doubts_text(const OptimizedModel& optimized, const std::string& time_option) {
  const auto unsure = optimize_doubts(optimized);
  if (unsure.empty()) return "";
  return fmt::format("Not sure: {}; {} {} would say more", fmt::join(unsure, "; "), time_option,
                     longer_budget(optimized.budget_seconds));
}

// The lines about the file, below the table.
std::string details_text(const OptimizedModel& optimized) {
  std::string text;
  if (optimized.answer && optimized.answer->sqnr)
    text += fmt::format("  answers: SQNR {:.1f} dB{} over {} {}samples\n", *optimized.answer->sqnr,
                        optimized.answer->top1
                            ? fmt::format(", the same class for {:.1f} %", *optimized.answer->top1)
                            : "",
                        optimized.answer->samples, optimized.answer->random ? "RANDOM " : "");
  text +=
      fmt::format("  written file against the measured variant: {}\n", check_text(optimized.check));
  if (!optimized.command.empty()) text += fmt::format("  run it: {}\n", optimized.command);
  if (!optimized.programs.empty())
    text += fmt::format("  in a program: {}\n", fmt::join(optimized.programs, ", "));
  return text + fmt::format("  receipt: {}.receipt.json\n", optimized.output);
}

}  // namespace

std::string optimize_text(const OptimizedModel& optimized, const std::string& time_option) {
  const Verdict verdict = optimize_verdict(optimized, time_option);
  return fmt::format("{}\n  {}\n", verdict.answer, verdict.advice) + details_text(optimized);
}

Verdict optimize_verdict(const OptimizedModel& optimized, const std::string& time_option) {
  const std::string answer = answer_text(optimized), doubts = doubts_text(optimized, time_option);
  if (const std::string warning = random_warning(optimized); !warning.empty())
    return {answer, "WARNING: " + warning, Meaning::Refused};
  if (optimized.is_slower())
    return {fmt::format("{}: the written file is SLOWER than the measured variant, {}",
                        optimized.output,
                        speed_up_text(optimized.check->median, optimized.check->interval)),
            "Sure: the 95 % interval is below 1. Do not use it; stay with what you have",
            Meaning::Worse};
  if (!doubts.empty()) return {answer, doubts};
  if (optimized.last.base == *optimized.last.winner)
    return {answer, "Sure: nothing that was tried is faster. Stay with what you have"};
  return {answer, "Sure: the 95 % interval is above 1, and no other may be as fast. Take it",
          Meaning::Better};
}

Document optimize_document(const OptimizedModel& optimized, const BenchRun& tried,
                           const std::string& time_option) {
  const VariantResult& winner = optimized.winner();
  const std::string warning = random_warning(optimized);
  Document document = new_document("optimization");
  if (!tried.program.empty()) set_tool(document, tried.program);
  document.options = tried.options;
  document.machine = tried.machine;
  document.notes = urgent_notes(optimized.notes);
  Cell answers;
  if (optimized.answer)
    answers = Members{{"samples", optimized.answer->samples},
                      {"random", optimized.answer->random},
                      {"sqnr_db", optimized.answer->sqnr},
                      {"top1_percent", optimized.answer->top1}};
  document.facts = {
      {"model", FilePath{optimized.model}},
      {"output", FilePath{optimized.output}},
      {"command", optimized.command},
      {"programs", list_cell(optimized.programs)},
      {"engine", winner.processes.front().open.engine},
      {"style", winner.variant.style},
      {"precision", winner.variant.precision()},
      {"threads", winner.variant.session.threads},
      {"median_s", winner.summary().median},
      {"speed_up", optimized.gain().median},
      {"speed_up_interval", optimized.gain().interval},
      {"speed_up_over", optimized.base().variant.label()},
      {"written_against_measured", optimized.check ? Cell(optimized.check->interval) : Cell()},
      {"not_sure", list_cell(optimize_doubts(optimized))},
      {"warning", warning.empty() ? Cell() : Cell(warning)},
      {"answers", std::move(answers)},
      {"tried", bench_facts(tried)}};
  Document measured = measured_document(tried);
  document.tables = std::move(measured.tables);
  document.sections = std::move(measured.sections);
  document.sections.insert(document.sections.begin(),
                           verdict_section(optimize_verdict(optimized, time_option)));
  document.sections.push_back(
      lines_section(fmt::format("{}:\n", optimized.output) + details_text(optimized)));
  return document;
}

std::string optimize_receipt(const OptimizedModel& optimized, const BenchRun& tried) {
  return render_json(optimize_document(optimized, tried));
}

}  // namespace strata
