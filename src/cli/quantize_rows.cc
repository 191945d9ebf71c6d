// The layers of a quantized model as a table, with the rest of the time and a total.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cli/quantize_report.h"

namespace strata::cli {

namespace {

// Signal over noise of a part that is rounded alone.
std::string drop_text(const std::optional<double>& drop) {
  if (!drop) return "–";
  return *drop > 0 ? fmt::format("{:.1f} dB", -10 * std::log10(*drop)) : "no noise";
}

std::string runs_text(const QuantizedLayer& layer) {
  std::string text(name(layer.runs));
  if (!layer.int8) return fmt::format("{} ({})", text, layer.reason);
  return layer.runs == RunsIn::Int8 ? text : text + " (written for int8)";
}

std::string speed_up_text(const std::optional<RowSpeedUp>& found) {
  if (!found) return "–";
  std::string text = fmt::format("{:.2f}×", found->ratio);
  constexpr double kBoundless = 100;  // an upper end that says nothing
  if (found->interval)
    text += found->interval->high > kBoundless
                ? fmt::format(" [{:.2f}, > {:.0f}]", found->interval->low, kBoundless)
                : fmt::format(" [{:.2f}, {:.2f}]", found->interval->low, found->interval->high);
  if (!found->sure()) return text + " not sure";
  return text + (found->ratio < 1 ? " slower" : "");
}

struct Row {
  std::string part, layer, block, written, runs, kernel, reason;
  RowTime floats, after;
  std::optional<double> drop;
  std::string shown_runs = "–";
  std::optional<RowSpeedUp> ratio = {};
};

std::vector<Row> rows_of(const QuantizeOutcome& outcome) {
  std::vector<Row> rows;
  double float_total = 0, written_total = 0;
  const auto add = [&](Row row) {
    float_total += row.floats.median == -1 ? 0 : row.floats.median;
    written_total += row.after.median == -1 ? 0 : row.after.median;
    rows.push_back(std::move(row));
  };
  for (const QuantizedLayer& layer : outcome.layers)
    add({"layer", layer.path, layer.block, layer.int8 ? "int8" : "float",
         std::string(name(layer.runs)), layer.kernel, layer.reason, layer.floats, layer.written,
         layer.weights_drop, runs_text(layer), layer.speed_up});
  for (const RestRow& rest : outcome.rest) {
    if (rest.floats.median == -1 && rest.written.median == -1) continue;
    add({"rest", std::string(rest.name), {}, {}, {}, {}, {}, rest.floats, rest.written, {}, "–"});
  }
  if (!outcome.rest.empty())
    rows.push_back(
        {"total", "total", {}, {}, {}, {}, {}, {float_total, {}}, {written_total, {}}, {}, "–"});
  return rows;
}

Cell text_cell(std::string text) { return {std::move(text), Certainty::Exact}; }
Cell number_cell(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Cell{*value, Certainty::Exact} : Cell{};
}
Cell seconds_cell(const RowTime& time) {
  return time.median == -1 ? Cell{} : Cell{time.median, Certainty::Exact};
}

Profile shown_rows(const QuantizeOutcome& outcome) {
  Profile table;
  table.columns = {{"layer", "Layer", Unit::Text, false, 0},
                   {"block", "Block", Unit::Text, false, 5},
                   {"runs_in", "Runs in", Unit::Text, false, 0},
                   {"kernel", "Kernel", Unit::Text, false, 6},
                   {"float_s", "Float", Unit::Seconds, false, 1},
                   {"written_s", "As written", Unit::Seconds, false, 1},
                   {"speed_up", "Speed-up [95 %]", Unit::Text, false, 2},
                   {"drop", "Weights alone", Unit::Text, false, 3}};
  bool blocks = false, drops = false, times = !outcome.rest.empty();
  for (const Row& row : rows_of(outcome)) {
    table.rows.emplace_back().cells = {text_cell(row.layer),
                                       text_cell(row.block),
                                       text_cell(row.shown_runs),
                                       text_cell(row.kernel),
                                       seconds_cell(row.floats),
                                       seconds_cell(row.after),
                                       text_cell(speed_up_text(row.ratio)),
                                       text_cell(drop_text(row.drop))};
    blocks = blocks || !row.block.empty();
    drops = drops || row.drop;
  }
  const auto take_out = [&](std::size_t column) {
    table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(column));
    for (ProfileRow& row : table.rows)
      row.cells.erase(row.cells.begin() + static_cast<std::ptrdiff_t>(column));
  };
  if (!drops) take_out(7);
  if (!times)
    for (int i = 0; i < 3; ++i) take_out(4);
  if (!blocks) take_out(1);
  return table;
}

}  // namespace

Profile quantize_rows(const QuantizeReport& report, bool machine) {
  const QuantizeOutcome& outcome = report.outcome;
  if (!machine) return shown_rows(outcome);
  Profile table;
  for (const char* text : {"part", "layer", "block", "written", "runs_in", "kernel", "reason"})
    table.columns.push_back({text, "", Unit::Text, false, 0});
  for (const char* number : {"float_s", "float_low_s", "float_high_s", "written_s", "written_low_s",
                             "written_high_s", "speed_up", "speed_up_low", "speed_up_high", "drop"})
    table.columns.push_back({number, "", Unit::Number, false, 0});
  table.columns.push_back({"sure", "", Unit::Text, false, 0});
  table.columns.push_back({"random", "", Unit::Text, false, 0});
  const std::string random = report.random_data && report.random_weights ? "samples and weights"
                             : report.random_data                        ? "samples"
                             : report.random_weights                     ? "weights"
                                                                         : "";
  std::vector<Row> rows = rows_of(outcome);
  for (const QuantizedTensor& tensor : outcome.tensors)
    rows.push_back({"tensor",
                    tensor.label,
                    {},
                    tensor.rounded ? "int8" : "float",
                    {},
                    {},
                    tensor.reason,
                    {},
                    {},
                    tensor.drop,
                    ""});
  for (const Row& row : rows) {
    const auto low = [](const std::optional<Interval>& i) {
      return i ? std::optional(i->low) : std::nullopt;
    };
    const auto high = [](const std::optional<Interval>& i) {
      return i ? std::optional(i->high) : std::nullopt;
    };
    const auto& ratio = row.ratio;
    const auto interval = ratio ? ratio->interval : std::nullopt;
    table.rows.emplace_back().cells = {
        text_cell(row.part),
        text_cell(row.layer),
        text_cell(row.block),
        text_cell(row.written),
        text_cell(row.runs),
        text_cell(row.kernel),
        text_cell(row.reason),
        seconds_cell(row.floats),
        number_cell(low(row.floats.interval)),
        number_cell(high(row.floats.interval)),
        seconds_cell(row.after),
        number_cell(low(row.after.interval)),
        number_cell(high(row.after.interval)),
        number_cell(ratio ? std::optional(ratio->ratio) : std::nullopt),
        number_cell(low(interval)),
        number_cell(high(interval)),
        number_cell(row.drop),
        text_cell(!ratio          ? ""
                  : ratio->sure() ? "true"
                                  : "false"),
        text_cell(random)};
  }
  return table;
}

std::string quantize_csv(const QuantizeReport& report) {
  return to_csv(quantize_rows(report, true));
}

}  // namespace strata::cli
