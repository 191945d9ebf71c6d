#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/sensitivity_text.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinity.
Json real(double value) {
  if (std::isnan(value)) return nullptr;
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}
Json real(const std::optional<double>& value) { return value ? real(*value) : Json(nullptr); }
Json interval_json(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return Json::array({real(interval->low), real(interval->high)});
}

// Ten numbers a sample, in the order of `score_columns`.
constexpr const char* kScoreColumns[] = {"signal", "noise", "product", "other",    "kl",
                                         "rows",   "same",  "right",   "labelled", "command"};

Json scores_json(const std::vector<SampleScore>& samples) {
  Json out = Json::array();
  for (const SampleScore& one : samples)
    out.push_back(Json::array({one.signal, one.noise, one.product, one.other, one.kl, one.rows,
                               one.same, one.right, one.labelled, real(one.command)}));
  return out;
}

Json pairs_json(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Json out = Json::object();
  for (const auto& [key, value] : pairs) out[key] = value;
  return out;
}

// The path of the layer that stood for it.
Json stands_for(const SensitivityRun& run, std::size_t layer) {
  const auto& like = run.result.like;
  if (layer >= like.size() || like[layer] == layer) return nullptr;
  return run.layers[like[layer]].path;
}

Json layer_json(const SensitivityRun& run, std::size_t layer, std::size_t rank) {
  const SensitivityLayer& facts = run.layers[layer];
  const LayerFigures figures = figures_of(run, layer);
  return {{"path", facts.path},
          {"block", facts.block},
          {"operators", facts.operators},
          {"place", facts.place},
          {"rank", figures.drop ? Json(rank) : Json(nullptr)},
          {"value", real(figures.value)},
          {"interval", interval_json(figures.interval)},
          {"drop", real(figures.drop)},
          {"left_out", real(figures.left_out)},
          {"left_out_drop", real(figures.left_out_drop)},
          {"samples", figures.samples},
          {"like", stands_for(run, layer)},
          {"scores", scores_json(run.result.layers[layer].alone)},
          {"left_out_scores", scores_json(run.result.layers[layer].left_out)}};
}

Json alike_json(const AlikeBlocks& alike) {
  return {{"blocks", alike.blocks},
          {"layers", alike.layers},
          {"standing", alike.standing},
          {"members", alike.members}};
}

Json finding_json(const SensitivityRun& run, const Finding& finding) {
  Json layers = Json::array();
  for (const std::size_t layer : finding.layers) layers.push_back(run.layers[layer].path);
  return {{"group", finding.group},
          {"sentence", finding.sentence},
          {"layers", layers},
          {"median_drop", real(finding.median)},
          {"median_drop_elsewhere", real(finding.elsewhere)},
          {"others", finding.others},
          {"p", finding.p}};
}

Json whole_json(const SensitivityRun& run, const std::vector<SampleScore>& scores) {
  return {{"value", real(value(run.quality, scores))},
          {"interval", interval_json(value_interval(run.quality, scores))},
          {"drop", real(drop(run.quality, scores, run.result.baseline))},
          {"samples", scores.size()},
          {"scores", scores_json(scores)}};
}

// Null where they were not asked for.
Json parts_json(const SensitivityRun& run) {
  if (!run.parts) return nullptr;
  const std::vector<std::size_t> order = part_ranking(run);
  std::vector<std::size_t> rank(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = i + 1;
  Json out = Json::array();
  for (std::size_t p = 0; p < run.parts->parts.size(); ++p) {
    const QuantPart& part = run.parts->parts[p];
    Json readers = Json::array();
    for (const std::size_t l : part.readers) readers.push_back(run.layers[l].path);
    Json row = {
        {"part", part.label},
        {"kind", name(part.kind)},
        {"layer", part.layer == kNoLayer ? Json(nullptr) : Json(run.layers[part.layer].path)},
        {"read_by", readers},
        {"rank", rank[p]}};
    row.update(whole_json(run, run.parts->alone[p]));
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace

std::string sensitivity_to_json(const SensitivityRun& run) {
  const Sensitivity& result = run.result;
  const std::vector<std::size_t> order = sensitivity_ranking(run);
  std::vector<std::size_t> rank(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = i + 1;
  Json layers = Json::array(), findings = Json::array(), alike = Json::array();
  for (const AlikeBlocks& each : result.alike) alike.push_back(alike_json(each));
  for (std::size_t l = 0; l < run.layers.size(); ++l) layers.push_back(layer_json(run, l, rank[l]));
  for (const Finding& finding : run.findings) findings.push_back(finding_json(run, finding));
  const auto r = additivity_of(run);
  const Json out = {
      {"kind", "strata sensitivity"},
      {"schema", SensitivityRun::kSchema},
      {"tool", run.program},
      {"complete", !result.partial},
      {"model", run.model},
      {"graph_hash", run.hash},
      {"run", run.run},
      {"options", pairs_json(run.options)},
      {"engine", run.engine},
      {"data", run.data},
      {"ranges", run.ranges},
      {"random_data", run.random_data},
      {"random_weights", run.random_weights},
      {"metric", name(run.quality)},
      {"unit", unit(run.quality)},
      {"weight_bits", run.rounding.weights ? Json(run.rounding.weight_bits) : Json(nullptr)},
      {"activation_bits",
       run.rounding.activations ? Json(run.rounding.activation_bits) : Json(nullptr)},
      {"samples", run.samples},
      {"budgeted", run.budgeted},
      {"budget_passes", result.budget_passes > 0 ? Json(result.budget_passes) : Json(nullptr)},
      {"alike", alike},
      {"seconds", run.seconds},
      {"measuring_seconds", result.seconds},
      {"passes", result.passes},
      {"naive_passes", result.naive_passes},
      {"kept_bytes", result.kept_bytes},
      {"additivity", real(r)},
      {"additive", r ? Json(is_additive(r)) : Json(nullptr)},
      {"findings", findings},
      {"score_columns", kScoreColumns},
      {"baseline", whole_json(run, result.baseline)},
      {"joint", whole_json(run, result.joint)},
      {"layers", layers},
      {"parts", parts_json(run)},
      {"as_written", run.parts ? whole_json(run, run.parts->together) : Json(nullptr)}};
  // Names from files may be no UTF-8.
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace strata
