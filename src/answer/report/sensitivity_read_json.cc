// Scores of an earlier run, out of a file that anybody may have written.
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "strata/report/sensitivity.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kColumns = 10;

std::optional<SampleScore> score_from(const Json& row) {
  if (!row.is_array() || row.size() < kColumns) return std::nullopt;
  for (std::size_t i = 0; i + 1 < kColumns; ++i)
    if (!row[i].is_number()) return std::nullopt;
  for (std::size_t i = 5; i + 1 < kColumns; ++i)
    if (!row[i].is_number_integer()) return std::nullopt;
  SampleScore score;
  score.signal = row[0].get<double>();
  score.noise = row[1].get<double>();
  score.product = row[2].get<double>();
  score.other = row[3].get<double>();
  score.kl = row[4].get<double>();
  score.rows = row[5].get<std::int64_t>();
  score.same = row[6].get<std::int64_t>();
  score.right = row[7].get<std::int64_t>();
  score.labelled = row[8].get<std::int64_t>();
  if (row[9].is_number()) score.command = row[9].get<double>();
  return score;
}

bool read_scores(const Json& layer, const char* key, std::vector<SampleScore>& out) {
  const auto rows = layer.find(key);
  if (rows == layer.end() || !rows->is_array()) return false;
  for (const Json& row : *rows) {
    const auto score = score_from(row);
    if (!score) return false;
    out.push_back(*score);
  }
  return true;
}

// Those that make sense: the others are measured again.
std::vector<PairScore> pairs_from(const Json& facts, std::size_t layers) {
  std::vector<PairScore> out;
  const auto all = facts.find("pairs");
  if (all == facts.end() || !all->is_array()) return out;
  for (const Json& one : *all) {
    const Json::json_pointer first("/indices/0"), second("/indices/1"), scores("/left_out");
    if (!one.is_object() || !one.contains(first) || !one.contains(second) ||
        !one.contains(scores) || !one[first].is_number_unsigned() ||
        !one[second].is_number_unsigned() || !one[scores].is_object())
      continue;
    PairScore pair{one[first].get<std::size_t>(), one[second].get<std::size_t>(), {}};
    if (pair.first >= layers || pair.second >= layers ||
        !read_scores(one[scores], "scores", pair.left_out))
      continue;
    out.push_back(std::move(pair));
  }
  return out;
}

// Layers of a file of 0.1, which are in running order.
std::optional<std::vector<Json>> rows_of_first(const Json& json) {
  const auto layers = json.find("layers");
  if (layers == json.end() || !layers->is_array()) return std::nullopt;
  return std::vector<Json>(layers->begin(), layers->end());
}

// Layers of a document, which are in their ranking, in running order.
std::optional<std::vector<Json>> rows_in_order(const Json& json) {
  const Json::json_pointer place("/tables/layers/rows");
  if (!json.contains(place) || !json.at(place).is_array()) return std::nullopt;
  const Json& rows = json.at(place);
  std::vector<Json> out(rows.size());
  for (const Json& row : rows) {
    const auto index = row.is_object() ? row.find("index") : row.end();
    if (index == row.end() || !index->is_number_unsigned()) return std::nullopt;
    const auto at = index->get<std::uint64_t>();
    if (at >= out.size() || !out[at].is_null()) return std::nullopt;
    out[at] = row;
  }
  return out;
}

}  // namespace

Result<EarlierScores> sensitivity_scores_from_json(std::string_view json, std::string_view label) {
  const auto wrong = [&](std::string_view what) {
    return failure(Code::NotScores, {.file = std::string(label), .detail = std::string(what)});
  };
  const Json whole_file = json_from_text(json);
  const Json kind = whole_file.is_object() ? whole_file.value("kind", Json()) : Json();
  if (kind != "sensitivity" && kind != "strata sensitivity")
    return wrong("is there already, and is not a measurement of sensitivity");
  // In 0.1 everything stood at the top.
  const bool is_first = kind == "strata sensitivity";
  if (const auto schema = whole_file.find("schema");
      schema == whole_file.end() || *schema != (is_first ? 1 : SensitivityRun::kSchema))
    return wrong("was written by another version of strata");
  const Json all = is_first ? whole_file : whole_file.value("facts", Json::object());
  EarlierScores out;
  const auto run = all.find("run");
  const auto layers = is_first ? rows_of_first(whole_file) : rows_in_order(whole_file);
  if (run == all.end() || !run->is_string() || !layers) return wrong("lacks \"run\" or \"layers\"");
  out.run = run->get<std::string>();
  const auto number = [&](const char* key, double& to) {
    if (const auto at = all.find(key); at != all.end() && at->is_number()) to = at->get<double>();
  };
  number("passes", out.result.passes);
  number("measuring_seconds", out.result.seconds);
  number("seconds", out.seconds);
  // Without them the samples are run again.
  const auto whole = [&](const char* key, std::vector<SampleScore>& to) {
    const auto at = all.find(key);
    if (at == all.end() || !at->is_object() || !read_scores(*at, "scores", to)) to.clear();
  };
  whole("baseline", out.result.baseline);
  whole("joint", out.result.joint);
  for (const Json& layer : *layers) {
    const char* path = is_first ? "path" : "layer";
    const bool named = layer.is_object() && layer.contains(path) && layer[path].is_string();
    LayerScore score;
    if (!named || !read_scores(layer, "scores", score.alone) ||
        !read_scores(layer, "left_out_scores", score.left_out))
      return wrong("has a layer without a path or with scores that are none");
    out.paths.push_back(layer[path].get<std::string>());
    out.result.layers.push_back(std::move(score));
  }
  out.result.pairs = pairs_from(all, out.result.layers.size());
  return out;
}

}  // namespace strata
