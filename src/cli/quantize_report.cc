#include "cli/quantize_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "strata/base/number_text.h"

namespace strata::cli {

namespace {

using Json = nlohmann::ordered_json;

// Of a layer rounded alone: signal over noise.
std::string drop_text(const std::optional<double>& drop) {
  if (!drop) return "–";
  return *drop > 0 ? fmt::format("{:.1f} dB", -10 * std::log10(*drop)) : "no noise";
}

Profile layer_table(const QuantizeOutcome& outcome) {
  Profile table;
  table.columns = {{"layer", "Layer", Unit::Text, false, 0},
                   {"block", "Block", Unit::Text, false, 5},
                   {"runs", "Runs in", Unit::Text, false, 0},
                   {"float_s", "Float", Unit::Seconds, false, 1},
                   {"written_s", "As written", Unit::Seconds, false, 1},
                   {"speed_up", "Speed-up", Unit::Text, false, 2},
                   {"drop", "SQNR alone", Unit::Text, false, 3}};
  bool blocks = false, drops = false;
  for (const QuantizedLayer& layer : outcome.layers) {
    ProfileRow& row = table.rows.emplace_back();
    row.cells.resize(table.columns.size());
    row.cells[0].value = layer.path;
    row.cells[1].value = layer.block;
    row.cells[2].value = layer.int8 ? std::string("int8") : fmt::format("float ({})", layer.reason);
    if (layer.float_seconds >= 0) row.cells[3].value = layer.float_seconds;
    if (layer.int8_seconds >= 0) row.cells[4].value = layer.int8_seconds;
    row.cells[5].value = layer.float_seconds > 0 && layer.int8_seconds > 0
                             ? fmt::format("{:.2f}×{}", layer.float_seconds / layer.int8_seconds,
                                           layer.slower() && layer.int8 ? " slower" : "")
                             : std::string("–");
    row.cells[6].value = drop_text(layer.drop);
    blocks = blocks || !layer.block.empty();
    drops = drops || layer.drop;
  }
  const auto take_out = [&](std::size_t column) {
    table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(column));
    for (ProfileRow& row : table.rows)
      row.cells.erase(row.cells.begin() + static_cast<std::ptrdiff_t>(column));
  };
  if (!drops) take_out(6);
  if (!blocks) take_out(1);
  return table;
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string kept_text(const QuantizeOutcome& outcome, std::string_view reason,
                      std::string_view words) {
  constexpr std::size_t kShown = 6;
  std::vector<std::string_view> names;
  for (const QuantizedLayer& layer : outcome.layers)
    if (!layer.int8 && layer.reason == reason) names.push_back(layer.path);
  if (names.empty()) return "";
  const std::size_t shown = std::min(names.size(), kShown);
  return fmt::format(
      "in floats {}: {}{}\n", words,
      fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
      names.size() > shown ? fmt::format(" and {} more", names.size() - shown) : "");
}

std::string target_text(const AnswerTarget& target) {
  std::vector<std::string> parts;
  if (target.min_sqnr) parts.push_back(fmt::format("SQNR of {:g} dB or more", *target.min_sqnr));
  if (target.max_drop)
    parts.push_back(
        fmt::format("another class for at most {:g} % of the samples", 100 * *target.max_drop));
  return fmt::format("{}", fmt::join(parts, " and "));
}

std::string answers_text(const QuantizeOutcome& outcome) {
  if (outcome.scores.empty()) return "";
  const auto sqnr = value(Quality::Sqnr, outcome.scores);
  const auto cosine = value(Quality::Cosine, outcome.scores);
  const auto top1 = value(Quality::Top1, outcome.scores);
  std::vector<std::string> parts;
  if (sqnr) {
    std::string& text = parts.emplace_back(fmt::format("SQNR {:.1f} dB", *sqnr));
    if (const auto interval = value_interval(Quality::Sqnr, outcome.scores))
      text += fmt::format(" [{:.1f}, {:.1f}]", interval->low, interval->high);
  }
  if (cosine) parts.push_back(fmt::format("cosine {:.5f}", *cosine));
  if (top1) parts.push_back(fmt::format("the same class for {:.1f} %", *top1));
  return fmt::format(
      "answers: {} on {} held out\n", fmt::join(parts, ", "),
      counted(outcome.scores.size(), outcome.random_data ? "RANDOM sample" : "sample"));
}

const SpeedUp* speed_up(const QuantizeOutcome& outcome) {
  if (!outcome.bench || outcome.bench->speed_ups.size() != 2) return nullptr;
  const auto& found = outcome.bench->speed_ups[1];
  return found ? &*found : nullptr;
}

std::string latency_text(const QuantizeOutcome& outcome) {
  if (!outcome.bench || outcome.bench->variants.size() != 2) return "";
  const VariantResult &floats = outcome.bench->variants[0], &written = outcome.bench->variants[1];
  for (const VariantResult* each : {&floats, &written})
    if (each->failure != Failure::None)
      return fmt::format("latency: {}: {}\n", failure_name(each->failure), each->reason);
  const SpeedUp* found = speed_up(outcome);
  if (found == nullptr) return "latency: stopped before there was a comparison\n";
  const bool known = std::isfinite(found->interval.high) && found->interval.low > 0;
  std::string text =
      fmt::format("latency: {} → {}: {:.2f}× {}\n", human_seconds(floats.summary().median),
                  human_seconds(written.summary().median), found->median,
                  known ? fmt::format("[{:.2f}, {:.2f}]", found->interval.low, found->interval.high)
                        : std::string("(too short for an interval: give more --max-time)"));
  if (known && found->interval.high < 1)
    text += "the written model is SLOWER than the floats on this machine\n";
  std::size_t slower = 0;
  for (const QuantizedLayer& layer : outcome.layers) slower += layer.int8 && layer.slower();
  if (slower > 0)
    text += fmt::format("{} {} slower in int8 than in floats\n", counted(slower, "layer"),
                        slower == 1 ? "is" : "are");
  return text;
}

std::string notes_text(const QuantizeOutcome& outcome) {
  std::string text;
  if (outcome.random_data)
    text += "Note: RANDOM samples: a dry run; ranges and answers say nothing about real data\n";
  if (outcome.random_weights)
    text +=
        "Note: RANDOM weights: a network of the zoo; its answers say nothing of a trained one\n";
  if (outcome.reduced_range)
    text += "Note: weights have 7 bits: this processor cuts off products of 8 bits\n";
  for (const std::string& note : outcome.notes) text += fmt::format("Note: {}\n", note);
  return text + fmt::format("Note: run on {}; ranges by {}\n", outcome.engine, outcome.ranges);
}

Json number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json interval(const std::optional<Interval>& value) {
  return value ? Json::array({number(value->low), number(value->high)}) : Json(nullptr);
}

Json latency_json(const QuantizeOutcome& outcome) {
  const SpeedUp* found = speed_up(outcome);
  if (found == nullptr) return nullptr;
  const bool known = std::isfinite(found->interval.high) && found->interval.low > 0;
  return {{"float_s", outcome.bench->variants[0].summary().median},
          {"written_s", outcome.bench->variants[1].summary().median},
          {"speed_up", found->median},
          {"interval", known ? interval(found->interval) : Json(nullptr)}};
}

Json layers_json(const QuantizeOutcome& outcome) {
  const auto seconds = [](double value) { return value < 0 ? Json(nullptr) : Json(value); };
  Json layers = Json::array();
  for (const QuantizedLayer& layer : outcome.layers)
    layers.push_back({{"layer", layer.path},
                      {"block", layer.block},
                      {"int8", layer.int8},
                      {"reason", layer.int8 ? Json(nullptr) : Json(layer.reason)},
                      {"float_s", seconds(layer.float_seconds)},
                      {"written_s", seconds(layer.int8_seconds)},
                      {"drop", number(layer.drop)}});
  return layers;
}

}  // namespace

std::string quantize_text(const QuantizeOutcome& outcome, const std::string& output,
                          const TableStyle& style) {
  const bool timed =
      std::any_of(outcome.layers.begin(), outcome.layers.end(),
                  [](const QuantizedLayer& l) { return l.float_seconds >= 0 || l.drop; });
  std::size_t int8 = 0;
  for (const QuantizedLayer& layer : outcome.layers) int8 += layer.int8 ? 1 : 0;
  std::string text = timed ? to_table(layer_table(outcome), style) + "\n" : "";
  text +=
      fmt::format("{}: {} of {} in int8, and {} between them; {} → {} ({:.2f}×)\n", output, int8,
                  counted(outcome.layers.size(), "layer"), counted(outcome.int8_nodes, "operator"),
                  human_bytes(static_cast<double>(outcome.float_bytes)),
                  human_bytes(static_cast<double>(outcome.int8_bytes)),
                  static_cast<double>(outcome.float_bytes) /
                      static_cast<double>(std::max<std::int64_t>(outcome.int8_bytes, 1)));
  text += kept_text(outcome, "named", "as asked");
  text += kept_text(outcome, "answers", "for the answers");
  text += kept_text(outcome, "speed", "for speed");
  text += answers_text(outcome);
  if (outcome.target)
    text += fmt::format("target: {}: met; {} tried\n", target_text(*outcome.target),
                        counted(static_cast<std::size_t>(outcome.tried), "model"));
  text += latency_text(outcome);
  text += fmt::format("nodes in floats: {}, {}\n", outcome.exclude,
                      counted(outcome.excluded.size(), "name"));
  return text + notes_text(outcome);
}

std::string quantize_csv(const QuantizeOutcome& outcome) {
  Profile table;
  table.columns = {
      {"layer", "", Unit::Text, false, 0},      {"block", "", Unit::Text, false, 0},
      {"runs", "", Unit::Text, false, 0},       {"reason", "", Unit::Text, false, 0},
      {"float_s", "", Unit::Seconds, false, 0}, {"written_s", "", Unit::Seconds, false, 0},
      {"drop", "", Unit::Number, false, 0},     {"random", "", Unit::Text, false, 0}};
  const std::string random = outcome.random_data && outcome.random_weights ? "samples and weights"
                             : outcome.random_data                         ? "samples"
                             : outcome.random_weights                      ? "weights"
                                                                           : "";
  for (const QuantizedLayer& layer : outcome.layers) {
    ProfileRow& row = table.rows.emplace_back();
    row.cells.resize(table.columns.size());
    row.cells[0].value = layer.path;
    row.cells[1].value = layer.block;
    row.cells[2].value = std::string(layer.int8 ? "int8" : "float");
    row.cells[3].value = layer.int8 ? std::string() : layer.reason;
    if (layer.float_seconds >= 0) row.cells[4].value = layer.float_seconds;
    if (layer.int8_seconds >= 0) row.cells[5].value = layer.int8_seconds;
    if (layer.drop) row.cells[6].value = *layer.drop;
    row.cells[7].value = random;
  }
  return to_csv(table);
}

std::string quantize_json(const QuantizeOutcome& outcome, const std::string& output) {
  const auto quality = [&](Quality what) { return number(value(what, outcome.scores)); };
  Json target = nullptr;
  if (outcome.target)
    target = {{"min_sqnr_db", number(outcome.target->min_sqnr)},
              {"max_drop", number(outcome.target->max_drop)}};
  const Json document = {
      {"kind", "strata quantize"},
      {"schema", 1},
      {"model", outcome.model},
      {"graph_hash", outcome.hash},
      {"output", output},
      {"engine", outcome.engine},
      {"ranges", outcome.ranges},
      {"random_data", outcome.random_data},
      {"random_weights", outcome.random_weights},
      {"float_bytes", outcome.float_bytes},
      {"int8_bytes", outcome.int8_bytes},
      {"weight_bits", outcome.reduced_range ? 7 : 8},
      {"int8_operators", outcome.int8_nodes},
      {"target", target},
      {"tried", outcome.tried},
      {"answers",
       {{"data", outcome.data},
        {"samples", outcome.scores.size()},
        {"sqnr_db", quality(Quality::Sqnr)},
        {"sqnr_interval_db", interval(value_interval(Quality::Sqnr, outcome.scores))},
        {"cosine", quality(Quality::Cosine)},
        {"top1_percent", quality(Quality::Top1)}}},
      {"latency", latency_json(outcome)},
      {"layers", layers_json(outcome)},
      {"exclude", outcome.exclude},
      {"nodes_to_exclude", outcome.excluded},
      {"complete", !outcome.interrupted},
      {"notes", outcome.notes}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace strata::cli
