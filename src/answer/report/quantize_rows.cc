// The layers of a quantized model as a table, with the rest of the time and a total.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/quantize_text.h"

namespace strata {

namespace {

// Signal over noise of a part that is rounded alone.
std::string drop_text(const std::optional<double>& drop) {
  if (!drop) return "–";
  return *drop > 0 ? fmt::format("{:.1f} dB", -10 * std::log10(*drop)) : "no noise";
}

std::string runs_text(const QuantizedLayer& layer) {
  std::string text(name_of(layer.runs));
  if (!layer.int8) return fmt::format("{} ({})", text, layer.reason);
  return layer.runs == RunsIn::Int8 ? text : text + " (written for int8)";
}

std::string speed_up_text(const std::optional<RowSpeedUp>& found) {
  if (!found) return "–";
  constexpr double kBoundless = 100;  // an upper end that says nothing
  if (found->interval && found->interval->high > kBoundless) return "not sure";
  std::string text = fmt::format("{:.2f}×", found->ratio);
  if (found->interval)
    text += fmt::format(" [{:.2f}, {:.2f}]", found->interval->low, found->interval->high);
  if (!found->sure()) return text + " not sure";
  return text + (found->ratio < 1 ? " slower" : "");
}

Meaning meaning_of(const std::optional<RowSpeedUp>& found) {
  if (!found || !found->sure()) return Meaning::Plain;
  return found->ratio < 1 ? Meaning::Worse : Meaning::Better;
}

struct Row {
  std::string part, layer, block, written, runs, kernel, reason;
  RowTime floats, after;
  std::optional<double> drop;
  std::string shown_runs = "–";
  std::optional<RowSpeedUp> ratio = {};
  std::optional<bool> input_rounded = {}, output_rounded = {};  // of layers
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
         std::string(name_of(layer.runs)), layer.kernel, layer.reason, layer.floats, layer.written,
         layer.weights_drop, runs_text(layer), layer.speed_up, layer.input_rounded,
         layer.output_rounded});
  for (const RestRow& rest : outcome.rest) {
    if (rest.floats.median == -1 && rest.written.median == -1) continue;
    add({"rest", std::string(rest.name), {}, {}, {}, {}, {}, rest.floats, rest.written, {}, "–"});
  }
  // The whole run, which the rows add up to unless the time outside of kernels is not known.
  if (outcome.bench && outcome.bench->variants.size() == 2) {
    const auto whole = [&](std::size_t v, double& total) {
      if (const VariantResult& own = outcome.bench->variants[v]; own.runs() > 0)
        total = own.summary().median;
    };
    whole(0, float_total);
    whole(1, written_total);
  }
  if (!outcome.rest.empty())
    rows.push_back(
        {"total", "total", {}, {}, {}, {}, {}, {float_total, {}}, {written_total, {}}, {}, "–"});
  return rows;
}

Cell estimate(const std::optional<double>& value, const std::optional<Interval>& interval) {
  if (!value || !interval) return value;
  return Estimate{*value, interval->low, interval->high};
}
std::optional<double> seconds(const RowTime& time) {
  return time.median == -1 ? std::nullopt : std::optional(time.median);
}

std::vector<Column> columns() {
  const auto number = [](const char* name, Unit unit, ColumnType type) {
    return Column{name, name, unit, false, 0, type};
  };
  return {{"part", "part"},
          {"layer", "layer"},
          {"block", "block"},
          {"written", "written"},
          {"runs_in", "runs_in"},
          {"kernel", "kernel"},
          {"reason", "reason"},
          number("float_s", Unit::Seconds, ColumnType::Estimate),
          number("written_s", Unit::Seconds, ColumnType::Estimate),
          number("speed_up", Unit::Number, ColumnType::Estimate),
          number("drop", Unit::Number, ColumnType::Plain),
          {"sure", "sure", Unit::Text, false, 0, ColumnType::Truth},
          {"random", "random"},
          {"input_rounded", "input_rounded", Unit::Text, false, 0, ColumnType::Truth},
          {"output_rounded", "output_rounded", Unit::Text, false, 0, ColumnType::Truth}};
}

// Says whether samples, weights or both are made up.
std::string random_text(const QuantizeReport& report) {
  if (report.random_data && report.random_weights) return "samples and weights";
  return report.random_data ? "samples" : report.random_weights ? "weights" : "";
}

std::vector<Cell> cells(const Row& row, const std::string& random) {
  const auto& ratio = row.ratio;
  return {row.part,
          row.layer,
          row.block,
          row.written,
          row.runs,
          row.kernel,
          row.reason,
          estimate(seconds(row.floats), row.floats.interval),
          estimate(seconds(row.after), row.after.interval),
          ratio ? estimate(ratio->ratio, ratio->interval) : Cell(),
          row.drop,
          ratio ? Cell(ratio->sure()) : Cell(),
          random,
          row.input_rounded,
          row.output_rounded};
}

// Columns without a word are not shown.
void use_shown(Table& table, const std::vector<Row>& rows, bool times) {
  bool blocks = false, drops = false;
  for (const Row& row : rows) {
    blocks = blocks || !row.block.empty();
    drops = drops || row.drop;
  }
  const auto choose = [&](auto& out, auto layer, auto block, auto runs, auto kernel, auto before,
                          auto after, auto speed_up, auto drop) {
    out.push_back(std::move(layer));
    if (blocks) out.push_back(std::move(block));
    out.push_back(std::move(runs));
    out.push_back(std::move(kernel));
    if (times) {
      out.push_back(std::move(before));
      out.push_back(std::move(after));
      out.push_back(std::move(speed_up));
    }
    if (drops) out.push_back(std::move(drop));
  };
  choose(table.shown_columns, Column{"layer", "Layer", Unit::Text, false, 0},
         Column{"block", "Block", Unit::Text, false, 5},
         Column{"runs_in", "Runs in", Unit::Text, false, 0},
         Column{"kernel", "Kernel", Unit::Text, false, 6},
         Column{"float_s", "Float", Unit::Seconds, false, 1},
         Column{"written_s", "As written", Unit::Seconds, false, 1},
         Column{"speed_up", "Speedup [95 %]", Unit::Text, false, 2},
         Column{"drop", "Weights alone", Unit::Text, false, 3});
  for (std::size_t r = 0; r < rows.size(); ++r)
    choose(table.rows[r].shown, Cell(rows[r].layer), Cell(rows[r].block), Cell(rows[r].shown_runs),
           Cell(rows[r].kernel), Cell(seconds(rows[r].floats)), Cell(seconds(rows[r].after)),
           meaning(meaning_of(rows[r].ratio), Cell(speed_up_text(rows[r].ratio))),
           Cell(drop_text(rows[r].drop)));
}

}  // namespace

Table quantize_table(const QuantizeReport& report) {
  const std::vector<Row> rows = rows_of(report.outcome);
  Table table{.name = "layers", .columns = columns()};
  for (const Row& row : rows) table.rows.push_back({.cells = cells(row, random_text(report))});
  use_shown(table, rows, !report.outcome.rest.empty());
  return table;
}

Table tensors_table(const QuantizeReport& report) {
  Table table{.name = "tensors", .columns = columns()};
  for (const QuantizedTensor& tensor : report.outcome.tensors) {
    Row row;
    row.part = "tensor";
    row.layer = tensor.label;
    row.written = tensor.rounded ? "int8" : "float";
    row.reason = tensor.reason;
    row.drop = tensor.drop;
    table.rows.push_back({.cells = cells(row, random_text(report))});
  }
  return table;
}

}  // namespace strata
