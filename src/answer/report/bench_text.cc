#include "report/bench_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/visible.h"
#include "strata/base/number_text.h"

namespace strata {

namespace {

constexpr std::size_t kFewRows = 10;  // of which a share says little

template <class Figure>
std::optional<double> median_of(const VariantResult& result, const Figure& figure) {
  std::vector<double> all;
  for (const ProcessSamples& process : result.processes) all.push_back(figure(process.open));
  std::erase_if(all, [](double seconds) { return seconds <= 0; });
  if (all.empty()) return std::nullopt;
  return summarize(all).median;
}

}  // namespace

std::string backend_text(const Variant& variant) {
  return variant.style.empty() ? variant.engine
                               : fmt::format("{}:{}", variant.engine, variant.style);
}

std::string variant_text(const Variant& variant) {
  Variant alone = variant;
  alone.shape.clear();
  return alone.label();
}

std::string group_text(const BenchGroup& group) {
  std::string text = group.model;
  if (!group.shape.empty()) text += " " + group.shape;
  return visible(text);
}

std::string percentile_text(const Summary& summary, double q) {
  if (const auto seconds = summary.percentile(q)) return human_seconds(*seconds);
  return fmt::format("n/a (n={}, needs {})", summary.n, samples_needed(q));
}

std::string speed_up_text(double ratio, const Interval& interval) {
  if (!std::isfinite(interval.high) || !(interval.high > 0)) return "?";
  return fmt::format("{:.2f}× [{:.2f}, {:.2f}]", ratio, interval.low, interval.high);
}

Meaning meaning_of(const Interval& speed_up) {
  if (speed_up.low > 1) return Meaning::Better;
  return speed_up.high < 1 ? Meaning::Worse : Meaning::Plain;
}

std::string difference_text(const VariantResult& result) {
  if (!result.difference) return "";
  const OutputDifference& difference = *result.difference;
  if (difference.matched_boxes && difference.boxes == 0) return "no boxes";
  if (difference.max_error == 0 && difference.matched_boxes.value_or(1) == 1) return "equal";
  std::string text = result.variant.is_lossy() && difference.sqnr
                         ? fmt::format("{:.1f} dB", *difference.sqnr)
                         : fmt::format("{:.1e}", difference.relative_error);
  if (difference.matched_boxes)
    text += fmt::format(", {:.0f} % of boxes", std::floor(100 * *difference.matched_boxes));
  else if (difference.top1 && *difference.top1 < 1 && difference.rows >= kFewRows)
    text += fmt::format(", top-1 {:.1f} %", 100 * *difference.top1);
  return text;
}

std::string energy_text(const VariantResult& result, std::optional<double> modelled) {
  constexpr double kPicojoules = 1e12;
  if (result.joules) return human_picojoules(*result.joules * kPicojoules);
  if (modelled) return "≈" + human_picojoules(*modelled * kPicojoules);
  return "not readable here";
}

std::string outcome_text(const VariantResult& result) {
  if (result.failure != Failure::None) return std::string(failure_name(result.failure));
  return result.partial ? "partial" : "ok";
}

std::optional<double> samples_per_second(const VariantResult& result, const LoadMode& load) {
  const Summary summary = result.summary();
  if (load.kind == LoadMode::Kind::Rate || summary.n == 0 || !(summary.mean > 0))
    return std::nullopt;
  return static_cast<double>(result.variant.batch) / summary.mean;
}

std::optional<double> median_open_seconds(const VariantResult& result) {
  return median_of(result, [](const OpenReport& open) { return open.open_seconds; });
}

std::optional<double> median_first_seconds(const VariantResult& result) {
  return median_of(result, [](const OpenReport& open) { return open.first_seconds; });
}

std::optional<std::int64_t> peak_resident_bytes(const VariantResult& result) {
  std::int64_t peak = -1;
  for (const ProcessSamples& process : result.processes)
    peak = std::max(peak, process.peak_resident_bytes);
  return peak < 0 ? std::nullopt : std::optional(peak);
}

bool was_disturbed(const VariantResult& result, const LoadMode& load) {
  if (load.kind == LoadMode::Kind::Rate) return false;
  // The number of threads is known only where it was asked for.
  const int threads = std::max(result.variant.session.threads, 1);
  return std::any_of(
      result.processes.begin(), result.processes.end(), [&](const ProcessSamples& process) {
        return process.contention.wall_seconds > 0 && process.contention.disturbed(threads);
      });
}

bool is_in(const std::vector<std::size_t>& list, std::size_t item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

}  // namespace strata
