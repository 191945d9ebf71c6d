// A benchmark as JSON. Keys are documented in docs/bench.md and change only with
// BenchRun::kSchema. Numbers that are not known, or not finite, are null.
#include <cmath>

#include <nlohmann/json.hpp>

#include "report/bench_text.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

Json real(double number) { return std::isfinite(number) ? Json(number) : Json(nullptr); }
Json real(const std::optional<double>& number) { return number ? real(*number) : Json(nullptr); }
// -1 stands for what cannot be known.
Json size(std::int64_t bytes) { return bytes < 0 ? Json(nullptr) : Json(bytes); }
Json size(const std::optional<std::int64_t>& bytes) { return bytes ? size(*bytes) : nullptr; }

Json known(double seconds) { return seconds < 0 ? Json(nullptr) : Json(seconds); }

Json interval_json(const Interval& interval) {
  return Json::array({real(interval.low), real(interval.high)});
}
Json interval_json(const std::optional<Interval>& interval) {
  return interval ? interval_json(*interval) : Json(nullptr);
}

std::string_view name(LoadMode::Kind kind) {
  switch (kind) {
    case LoadMode::Kind::Closed:
      return "closed";
    case LoadMode::Kind::Rate:
      return "rate";
    case LoadMode::Kind::Sustained:
      return "sustained";
  }
  return "closed";
}

std::string_view name(StrataOptimization level) {
  switch (level) {
    case STRATA_OPT_NONE:
      return "off";
    case STRATA_OPT_BASIC:
      return "basic";
    case STRATA_OPT_EXTENDED:
      return "extended";
    case STRATA_OPT_ALL:
      return "all";
  }
  return "all";
}

Json pairs_json(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Json out = Json::object();
  for (const auto& [key, value] : pairs) out[key] = value;
  return out;
}

Json method_json(const BenchOptions& method) {
  return {{"until", method.until},
          {"max_seconds", method.max_seconds},
          {"processes", method.processes},
          {"min_blocks", method.min_blocks},
          {"block_seconds", method.block_seconds},
          {"warmup", method.warmup < 0 ? Json(nullptr) : Json(method.warmup)},
          {"seed", method.seed},
          {"timeout_seconds", method.limits.timeout_seconds},
          {"memory_limit_bytes",
           method.limits.memory_bytes == 0 ? Json(nullptr) : Json(method.limits.memory_bytes)},
          {"max_relative_error", method.answers.relative_error},
          {"min_sqnr_db", method.answers.min_sqnr},
          {"min_top1", method.answers.min_top1},
          {"min_matched_boxes", method.answers.min_boxes},
          {"load",
           {{"kind", name(method.load.kind)},
            {"rate_per_second", method.load.rate},
            {"poisson", method.load.poisson},
            {"seconds", method.load.seconds}}}};
}

Json variant_json(const Variant& variant) {
  return {{"label", variant.label()},
          {"file", variant.file},
          {"inputs", variant.inputs},
          {"engine", variant.engine},
          {"style", variant.style},
          {"precision", variant.precision()},
          {"asked_precision", variant.session.precision},
          {"device", variant.session.device},
          {"provider", variant.session.provider},
          {"threads", variant.session.threads},
          {"optimization", name(variant.session.optimization)},
          {"options", variant.session.options},
          {"batch", variant.batch}};
}

// Null if nothing was measured. Seconds are of one inference, whatever the batch is.
Json summary_json(const VariantResult& result, const LoadMode& load) {
  if (result.runs() == 0) return nullptr;
  const Summary summary = result.summary();
  return {{"n", summary.n},
          {"median_s", summary.median},
          {"median_interval_s", interval_json(summary.interval)},
          {"mean_s", summary.mean},
          {"p90_s", real(summary.percentile(0.9))},
          {"p99_s", real(summary.percentile(0.99))},
          {"p999_s", real(summary.percentile(0.999))},
          {"std_s", summary.stddev},
          {"mad_s", summary.mad},
          {"cv", real(summary.cv)},
          {"noisy", summary.cv > kNoisyCv},
          {"min_s", summary.min},
          {"max_s", summary.max},
          {"outliers", summary.outliers},
          {"samples_per_second", real(samples_per_second(result, load))},
          {"load_s", real(median_open_seconds(result))},
          {"first_s", real(median_first_seconds(result))},
          {"peak_resident_bytes", size(peak_resident_bytes(result))},
          {"runs", result.runs()},
          {"waited", known(result.waited())},
          {"slowed", known(result.pace().slowed)},
          {"withheld", result.withheld().empty() ? Json(nullptr) : Json(result.withheld())},
          {"disturbed", was_disturbed(result, load)}};
}

Json difference_json(const std::optional<OutputDifference>& difference) {
  if (!difference) return nullptr;
  return {{"max_error", real(difference->max_error)},
          {"relative_error", real(difference->relative_error)},
          {"sqnr_db", real(difference->sqnr)},
          {"cosine", real(difference->cosine)},
          {"top1", real(difference->top1)},
          {"top1_rows", difference->rows},
          {"matched_boxes", real(difference->matched_boxes)},
          {"boxes", difference->boxes},
          {"worst_output", difference->worst}};
}

Json speed_up_json(const std::optional<SpeedUp>& speed_up) {
  if (!speed_up) return nullptr;
  const bool told = speed_up->withheld.empty();
  return {{"median", told ? real(speed_up->median) : Json(nullptr)},
          {"interval", told ? interval_json(speed_up->interval) : Json(nullptr)},
          {"p99", real(speed_up->tail)},
          {"p99_interval", interval_json(speed_up->tail_interval)},
          {"withheld", told ? Json(nullptr) : Json(speed_up->withheld)}};
}

Json process_json(const ProcessSamples& process) {
  return {{"engine", process.open.engine},
          {"open_s", process.open.open_seconds},
          {"first_s", process.open.first_seconds},
          {"resident_bytes", size(process.open.resident_bytes)},
          {"peak_resident_bytes", size(process.peak_resident_bytes)},
          {"wall_s", process.contention.wall_seconds},
          {"cpu_s", process.contention.cpu_seconds},
          {"wait_s", known(process.contention.wait_seconds)},
          {"steal_s", known(process.contention.steal_seconds)},
          {"pressure", known(process.contention.pressure)},
          {"involuntary_switches", process.contention.involuntary},
          {"joules", process.joules < 0 ? Json(nullptr) : Json(process.joules)},
          {"warmup_s", process.warmup},
          {"block_starts_s", process.block_starts},
          {"blocks_s", process.blocks},
          {"waits_s", process.waits},
          {"waits_read", process.waits_read},
          {"paces_s", process.paces},
          {"block_cpu_s", process.block_cpu},
          {"block_switches", process.block_switches},
          {"service_s", process.service}};
}

Json result_json(const BenchGroup& group, std::size_t index, const LoadMode& load) {
  const VariantResult& result = group.result.variants[index];
  Json out = variant_json(result.variant);
  out["failure"] =
      result.failure == Failure::None ? Json(nullptr) : Json(failure_name(result.failure));
  out["reason"] = result.reason;
  out["partial"] = result.partial;
  out["file_bytes"] = size(result.file_bytes);
  out["joules"] = real(result.joules);
  out["modelled_joules"] =
      index < group.modelled_joules.size() ? real(group.modelled_joules[index]) : Json(nullptr);
  out["energy_source"] = result.energy_source;
  out["utilization"] = real(result.utilization);
  out["drift"] = result.drift ? Json{{"change", real(result.drift->change)},
                                     {"interval", interval_json(result.drift->interval)}}
                              : Json(nullptr);
  out["difference"] = difference_json(result.difference);
  out["speed_up"] = index < group.result.speed_ups.size()
                        ? speed_up_json(group.result.speed_ups[index])
                        : Json(nullptr);
  out["summary"] = summary_json(result, load);
  Json processes = Json::array();
  for (const ProcessSamples& process : result.processes) processes.push_back(process_json(process));
  out["processes"] = std::move(processes);
  return out;
}

Json group_json(const BenchGroup& group, const LoadMode& load) {
  const BenchResult& result = group.result;
  Json variants = Json::array();
  for (std::size_t i = 0; i < result.variants.size(); ++i)
    variants.push_back(result_json(group, i, load));
  return {{"model", group.model},
          {"shape", group.shape},
          {"base", result.base},
          {"fastest", result.has_clear_winner() ? Json(*result.winner) : Json(nullptr)},
          {"leads", result.winner ? Json(*result.winner) : Json(nullptr)},
          {"as_fast", result.indistinct},
          {"pareto", result.pareto},
          {"reached", result.reached},
          {"stopped", result.stopped},
          {"seconds", result.seconds},
          {"variants", variants}};
}

Json aa_json(const BenchAa& aa) {
  Json out = variant_json(aa.variant);
  out["model"] = aa.variant.model;
  out["trials"] = aa.check.trials;
  out["pairs"] = aa.check.pairs;
  out["false_rate"] = real(aa.check.false_rate);
  out["false_rate_interval"] = interval_json(aa.check.false_rate_interval);
  out["sequential_rate"] = real(aa.check.sequential_rate);
  out["smallest_difference"] = real(aa.check.smallest);
  out["seconds"] = aa.check.seconds;
  return out;
}

}  // namespace

std::string bench_to_json(const BenchRun& run) {
  Json groups = Json::array(), aa = Json::array();
  for (const BenchGroup& group : run.groups) groups.push_back(group_json(group, run.method.load));
  for (const BenchAa& one : run.aa) aa.push_back(aa_json(one));
  const Json out = {{"schema", BenchRun::kSchema},
                    {"kind", "bench"},
                    {"tool", run.program},
                    {"started", run.started},
                    {"complete", run.complete},
                    {"options", pairs_json(run.options)},
                    {"method", method_json(run.method)},
                    {"machine", pairs_json(run.machine)},
                    {"models", groups},
                    {"aa", aa}};
  // Names from files may be no UTF-8.
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace strata
