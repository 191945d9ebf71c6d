// The verdict: is the written model worth taking?
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/quantize_text.h"
#include "report/verdict.h"

namespace strata {

namespace {

std::string ratio_text(const SpeedUp& found) {
  return fmt::format("{:.2f}× [{:.2f}, {:.2f}]", found.median, found.interval.low,
                     found.interval.high);
}

std::string judged_text(const QuantizeReport& report) {
  const std::size_t samples = report.outcome.got.size();
  if (samples == 0) return "answers were not judged";
  return fmt::format("answers judged on {} {}sample{}", samples,
                     report.random_data ? "RANDOM " : "", samples == 1 ? "" : "s");
}

std::string quality_words(const QuantizeReport& report) {
  const std::string quality = sqnr_text(report.outcome.got);
  return quality.empty() ? "" : ", " + quality;
}

}  // namespace

Verdict quantize_verdict(const QuantizeReport& report) {
  const QuantizeOutcome& outcome = report.outcome;
  const std::vector<std::string> warnings = quantize_warnings(report);
  if (!warnings.empty())
    return {fmt::format("WARNING: {}", fmt::join(warnings, "; ")),
            fmt::format("Do not use {} as it is: {}", report.output, judged_text(report)),
            Meaning::Refused};
  const std::string random =
      report.random_data || report.random_weights ? "A dry run: " : std::string();
  const auto found = whole_speed_up(outcome);
  const bool known = found && std::isfinite(found->interval.high) && found->interval.low > 0;
  if (!known)
    return {fmt::format("{}: its speed was not measured{}", report.output, quality_words(report)),
            fmt::format("{}{}{}", random, judged_text(report),
                        !found ? "; measure both models before you choose"
                               : "; the time was too short" + report.advice.more_time)};
  if (found->interval.low > 1)
    return {fmt::format("{}: {} as fast as the float model{}", report.output, ratio_text(*found),
                        quality_words(report)),
            fmt::format("{}Sure: the 95 % interval is above 1; {}. Take it", random,
                        judged_text(report)),
            Meaning::Better};
  if (found->interval.high < 1)
    return {fmt::format("{}: SLOWER than the float model, {}{}", report.output, ratio_text(*found),
                        quality_words(report)),
            fmt::format("{}Sure: the 95 % interval is below 1; {}. Keep the float model on this "
                        "machine, unless its size matters more",
                        random, judged_text(report)),
            Meaning::Worse};
  return {fmt::format("{}: may be faster or slower than the float model, {}{}", report.output,
                      ratio_text(*found), quality_words(report)),
          fmt::format("{}Not sure: the 95 % interval includes 1{}; {}", random,
                      report.advice.more_time, judged_text(report))};
}

}  // namespace strata
