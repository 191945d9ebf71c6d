// Scores of an earlier run, out of a file that anybody may have written.
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "strata/report/sensitivity.h"

namespace strata {

namespace {

using Json = nlohmann::json;

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

}  // namespace

Result<EarlierScores> sensitivity_scores_from_json(std::string_view json, std::string_view label) {
  const auto wrong = [&](std::string_view what) {
    return failure(fmt::format("{}: {}; name another file with -o", label, what));
  };
  const Json all = Json::parse(json, nullptr, false);
  if (!all.is_object() || all.value("kind", Json()) != "strata sensitivity")
    return wrong("is there already, and is not what `strata sensitivity` writes");
  if (const auto schema = all.find("schema");
      schema == all.end() || *schema != SensitivityRun::kSchema)
    return wrong("was written by another version of strata");
  EarlierScores out;
  const auto run = all.find("run");
  const auto layers = all.find("layers");
  if (run == all.end() || !run->is_string() || layers == all.end() || !layers->is_array())
    return wrong("lacks \"run\" or \"layers\"");
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
    const bool named = layer.is_object() && layer.contains("path") && layer["path"].is_string();
    LayerScore score;
    if (!named || !read_scores(layer, "scores", score.alone) ||
        !read_scores(layer, "left_out_scores", score.left_out))
      return wrong("has a layer without a path or with scores that are none");
    out.paths.push_back(layer["path"].get<std::string>());
    out.result.layers.push_back(std::move(score));
  }
  return out;
}

}  // namespace strata
