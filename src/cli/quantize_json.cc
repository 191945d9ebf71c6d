#include <cmath>

#include <nlohmann/json.hpp>

#include "cli/quantize_report.h"

namespace strata::cli {

namespace {

using Json = nlohmann::ordered_json;

Json number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}
Json interval(const std::optional<Interval>& value) {
  return value ? Json::array({number(value->low), number(value->high)}) : Json(nullptr);
}
Json seconds(const RowTime& time) { return time.median == -1 ? Json(nullptr) : Json(time.median); }
Json text(const std::string& value) { return value.empty() ? Json(nullptr) : Json(value); }

void add_times(Json& row, const RowTime& floats, const RowTime& written,
               const std::optional<RowSpeedUp>& ratio) {
  row["float_s"] = seconds(floats);
  row["float_interval_s"] = interval(floats.interval);
  row["written_s"] = seconds(written);
  row["written_interval_s"] = interval(written.interval);
  row["speed_up"] = ratio ? Json(ratio->ratio) : Json(nullptr);
  row["speed_up_interval"] = ratio ? interval(ratio->interval) : Json(nullptr);
  row["sure"] = ratio ? Json(ratio->sure()) : Json(nullptr);
}

Json layers_json(const QuantizeOutcome& outcome) {
  Json layers = Json::array();
  for (const QuantizedLayer& layer : outcome.layers) {
    Json& row = layers.emplace_back(Json{{"layer", layer.path},
                                         {"block", layer.block},
                                         {"int8", layer.int8},
                                         {"reason", text(layer.reason)},
                                         {"runs_in", name(layer.runs)},
                                         {"kernel", text(layer.kernel)},
                                         {"input_rounded", layer.input_rounded},
                                         {"output_rounded", layer.output_rounded}});
    add_times(row, layer.floats, layer.written, layer.speed_up);
    row["weights_drop"] = number(layer.weights_drop);
  }
  return layers;
}

Json rest_json(const QuantizeOutcome& outcome) {
  Json rows = Json::array();
  for (const RestRow& rest : outcome.rest) {
    Json& row = rows.emplace_back(Json{{"row", rest.name}});
    add_times(row, rest.floats, rest.written, rest.speed_up);
  }
  return rows;
}

Json tensors_json(const QuantizeOutcome& outcome) {
  Json rows = Json::array();
  for (const QuantizedTensor& tensor : outcome.tensors)
    rows.push_back({{"tensor", tensor.label},
                    {"rounded", tensor.rounded},
                    {"reason", text(tensor.reason)},
                    {"drop", number(tensor.drop)}});
  return rows;
}

Json latency_json(const QuantizeOutcome& outcome) {
  const SpeedUp* found = whole_speed_up(outcome);
  if (found == nullptr) return nullptr;
  const bool known = std::isfinite(found->interval.high) && found->interval.low > 0;
  return {{"float_s", outcome.bench->variants[0].summary().median},
          {"written_s", outcome.bench->variants[1].summary().median},
          {"speed_up", found->median},
          {"interval", known ? interval(found->interval) : Json(nullptr)}};
}

Json answers_json(const QuantizeOutcome& outcome) {
  const auto kept = outcome.kept_promise();
  const bool chosen = outcome.chosen_on > 0;
  const auto quality = [&](Quality what) { return number(value(what, outcome.got)); };
  return {{"data", outcome.data},
          {"samples", outcome.got.size()},
          {"sqnr_db", quality(Quality::Sqnr)},
          {"sqnr_interval_db", interval(value_interval(Quality::Sqnr, outcome.got))},
          {"promised_sqnr_db", number(value(Quality::Sqnr, outcome.promised))},
          {"promised_sqnr_interval_db", interval(value_interval(Quality::Sqnr, outcome.promised))},
          {"kept_promise", kept ? Json(*kept) : Json(nullptr)},
          {"chosen_on", chosen ? Json(outcome.chosen_on) : Json(nullptr)},
          {"judged_on_others", chosen ? Json(outcome.judged_on_others) : Json(nullptr)},
          {"cosine", quality(Quality::Cosine)},
          {"top1_percent", quality(Quality::Top1)}};
}

}  // namespace

std::string quantize_json(const QuantizeReport& report) {
  const QuantizeOutcome& outcome = report.outcome;
  Json target = nullptr;
  if (outcome.target)
    target = {{"min_sqnr_db", number(outcome.target->min_sqnr)},
              {"max_drop", number(outcome.target->max_drop)}};
  Json notes = Json::array();
  if (!outcome.not_judged.empty())
    notes.push_back("answers were not judged: " + outcome.not_judged);
  if (!outcome.not_looked.empty())
    notes.push_back("what layers run in is unknown, also of those that are to stay in floats: " +
                    outcome.not_looked);
  if (!outcome.not_timed.empty()) notes.push_back("times were not measured: " + outcome.not_timed);
  const Json document = {{"kind", "strata quantize"},
                         {"schema", 2},
                         {"warnings", quantize_warnings(report)},
                         {"model", report.model},
                         {"graph_hash", report.hash},
                         {"output", report.output},
                         {"engine", report.engine},
                         {"ranges", report.ranges},
                         {"random_data", report.random_data},
                         {"random_weights", report.random_weights},
                         {"float_bytes", report.float_bytes},
                         {"int8_bytes", outcome.int8_bytes},
                         {"weight_bits", report.reduced_range ? 7 : 8},
                         {"int8_operators", outcome.int8_nodes},
                         {"target", target},
                         {"tried", outcome.tried},
                         {"answers", answers_json(outcome)},
                         {"latency", latency_json(outcome)},
                         {"layers", layers_json(outcome)},
                         {"rest", rest_json(outcome)},
                         {"disturbed", outcome.disturbed},
                         {"tensors", tensors_json(outcome)},
                         {"exclude", report.exclude},
                         {"nodes_to_exclude", outcome.excluded},
                         {"complete", !outcome.interrupted},
                         {"notes", notes}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace strata::cli
