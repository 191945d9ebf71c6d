// A profile as JSON and back. The keys are documented in docs/json-schema.md and
// change only with Profile::kSchema.
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "strata/profile/profile.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

std::string_view name(Certainty certainty) {
  switch (certainty) {
    case Certainty::Exact:
      return "exact";
    case Certainty::LowerBound:
      return "lower_bound";
    case Certainty::Unknown:
      return "unknown";
  }
  return "unknown";
}

// A number where it is one; else {"formula": "300774272·N"}.
Json expr_json(const Expr& expr) {
  if (expr.is_unknown()) return nullptr;
  if (expr.is_number()) return expr.value();
  return Json{{"formula", expr.text()}};
}

Json cell_json(const Cell& cell) {
  Json value;
  if (const auto* text = std::get_if<std::string>(&cell.value)) value = *text;
  if (const auto* expr = std::get_if<Expr>(&cell.value)) value = expr_json(*expr);
  if (const auto* real = std::get_if<double>(&cell.value)) value = *real;
  if (cell.certainty == Certainty::LowerBound && !value.is_null()) return Json{{"at_least", value}};
  return value;
}

Json row_json(const Profile& profile, const ProfileRow& row) {
  Json out = Json::object();
  for (std::size_t i = 0; i < profile.columns.size(); ++i)
    out[profile.columns[i].name] = cell_json(row.cells[i]);
  if (profile.report == ReportKind::Tree) out["depth"] = row.depth;
  return out;
}

Json totals_json(const Profile& profile) {
  Json out = Json::object();
  for (std::size_t i = 0; i < profile.columns.size(); ++i)
    if (profile.columns[i].additive)
      out[profile.columns[i].name] = cell_json(profile.totals.cells[i]);
  return out;
}

Json tensors_json(const std::vector<Profile::TensorFacts>& tensors) {
  Json out = Json::array();
  for (const auto& tensor : tensors)
    out.push_back({{"name", tensor.name}, {"dtype", tensor.dtype}, {"shape", tensor.shape}});
  return out;
}

Json model_json(const Profile::ModelFacts& model) {
  Json opsets = Json::object();
  for (const auto& [domain, version] : model.opsets) opsets[domain] = version;
  return {{"path", model.path},
          {"graph_hash", model.graph_hash},
          {"file_bytes", model.file_bytes},
          {"producer", model.producer},
          {"ir_version", model.ir_version},
          {"opsets", opsets},
          {"nodes", model.nodes},
          {"inputs", tensors_json(model.inputs)},
          {"outputs", tensors_json(model.outputs)}};
}

Json memory_json(const Profile& profile) {
  Json at_peak = Json::array();
  for (const auto& alive : profile.memory.at_peak)
    at_peak.push_back(
        {{"tensor", alive.tensor}, {"layer", alive.layer}, {"bytes", expr_json(alive.bytes)}});
  Json out{{"peak_bytes", expr_json(profile.memory.peak_bytes)},
           {"certainty", name(profile.memory.certainty)},
           {"peak_layer", profile.memory.peak_layer},
           {"at_peak", at_peak}};
  if (profile.device)
    out["device"] = {{"model", profile.device->model},
                     {"weights", profile.device->weights},
                     {"inputs", profile.device->inputs},
                     {"peak_allocated", profile.device->peak_allocated},
                     {"peak_reserved", profile.device->peak_reserved},
                     {"peak_layer", profile.device->peak_layer}};
  if (!profile.arena) return out;
  Json blocks = Json::array();
  for (const auto& block : profile.arena->blocks)
    blocks.push_back({{"tensor", block.tensor},
                      {"offset", block.offset},
                      {"bytes", block.bytes},
                      {"first", block.first},
                      {"last", block.last}});
  out["arena"] = {{"bytes", profile.arena->bytes},
                  {"bound", profile.arena->bound},
                  {"alignment", profile.arena->alignment},
                  {"blocks", blocks}};
  return out;
}

}  // namespace

namespace {

Json timing_json(const TimingFacts& timing) {
  Json out = {{"engine", timing.engine},
              {"view", timing.view},
              {"threads", timing.threads},
              {"runs", timing.runs},
              {"all_runs", timing.all_runs},
              {"sessions", timing.sessions},
              {"recorded_runs", timing.recorded},
              {"warmup_runs", timing.warmup},
              {"median_s", timing.median},
              {"mad_s", timing.mad},
              {"open_s", timing.open},
              {"first_s", timing.first},
              {"probe_s", timing.probe},
              {"cpu_s", timing.cpu_seconds},
              {"wall_s", timing.wall_seconds},
              {"involuntary_switches", timing.involuntary},
              {"wait_s", timing.wait_seconds < 0 ? Json() : Json(timing.wait_seconds)},
              {"waits_read", timing.waits_read},
              {"steal_s", timing.steal_seconds < 0 ? Json() : Json(timing.steal_seconds)},
              {"pressure", timing.pressure < 0 ? Json() : Json(timing.pressure)},
              {"slowed", timing.slowed < 0 ? Json() : Json(timing.slowed)},
              {"disturbed", timing.disturbed},
              {"noisy", timing.noisy},
              {"partial", timing.partial},
              {"unassigned", timing.unassigned},
              {"samples_s", timing.samples}};
  out["withheld"] = timing.withheld.empty() ? Json() : Json(timing.withheld);
  out["low_s"] = timing.high > 0 ? Json(timing.low) : Json();
  out["high_s"] = timing.high > 0 ? Json(timing.high) : Json();
  return out;
}

}  // namespace

std::string profile_to_json(const Profile& profile) {
  Json out;
  out["schema"] = Profile::kSchema;
  out["tool"] = "strata " STRATA_VERSION;
  out["model"] = model_json(profile.model);
  Json options = Json::object();
  for (const auto& [option, value] : profile.options) options[option] = value;
  out["options"] = options;
  out["convention"] = profile.convention;
  out["energy_model"] = profile.energy_model;
  out["report"] = name(profile.report);
  out["columns"] = Json::array();
  for (const Column& column : profile.columns)
    out["columns"].push_back({{"name", column.name},
                              {"title", column.title},
                              {"unit", name(column.unit)},
                              {"additive", column.additive}});
  out["rows"] = Json::array();
  for (const ProfileRow& row : profile.rows) out["rows"].push_back(row_json(profile, row));
  out["totals"] = totals_json(profile);
  out["memory"] = memory_json(profile);
  if (profile.taken) {
    out["memory"]["engine"] = {{"engine", profile.taken->engine},
                               {"view", profile.taken->view},
                               {"peak", profile.taken->peak},
                               {"left", profile.taken->left},
                               {"peak_layer", profile.taken->peak_layer}};
    out["memory"]["engine"]["weights"] =
        profile.taken->weights >= 0 ? Json(profile.taken->weights) : Json();
  }
  if (profile.roofline)
    out["roofline"] = {{"flops_per_s", profile.roofline->flops_per_second},
                       {"bytes_per_s", profile.roofline->bytes_per_second},
                       {"threads", profile.roofline->threads},
                       {"kernel", profile.roofline->kernel}};
  if (profile.timing) out["timing"] = timing_json(*profile.timing);
  for (const auto& [fact, value] : profile.machine) out["machine"][fact] = value;
  out["symbols"] = Json::array();
  for (const auto& symbol : profile.symbols)
    out["symbols"].push_back(
        {{"name", symbol.name}, {"origin", symbol.origin}, {"needs_data", symbol.needs_data}});
  out["unknown_ops"] = profile.unknown_ops;
  out["notes"] = profile.notes;
  out["hidden_rows"] = profile.hidden_rows;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace strata
