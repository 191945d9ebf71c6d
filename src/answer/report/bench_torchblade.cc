// The table that TorchBlade published: its columns, seconds called seconds. What the
// original calls Mean(FPS), a mean of rates, is samples over total time here.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "report/bench_text.h"

namespace strata {

namespace {

// Six digits, as published.
std::string digits(double number) { return fmt::format("{:.6g}", number); }

// `MaskRCNNFPN_b2`
std::string model_text(const BenchGroup& group, const Variant& variant) {
  std::string text = group.model;
  if (variant.batch != 1) text += fmt::format("_b{}", variant.batch);
  if (!group.shape.empty()) text += "_" + group.shape;
  return text;
}

// The way in which the network became a file: `onnx`, `torchscript`.
std::string export_text(const Variant& variant) {
  const std::string extension = std::filesystem::path(variant.file).extension().string();
  if (extension == ".pt" || extension == ".pth" || extension == ".ts") return "torchscript";
  return "onnx";
}

bool threads_differ(const BenchRun& run) {
  std::optional<int> first;
  for (const BenchGroup& group : run.groups)
    for (const VariantResult& result : group.result.variants) {
      if (first && *first != result.variant.session.threads) return true;
      first = result.variant.session.threads;
    }
  return false;
}

}  // namespace

Table torchblade_table(const BenchRun& run) {
  Table table{.name = "variants",
              .columns = {{"model", "Model", Unit::Text, false, 0},
                          {"export", "Export", Unit::Text, false, 0},
                          {"backend", "Backend", Unit::Text, false, 0},
                          {"precision", "Precision", Unit::Text, false, 0},
                          {"median_fps", "Median(FPS)", Unit::Count, false, 0},
                          {"mean_fps", "Mean(FPS)", Unit::Count, false, 0},
                          {"median_s", "Median(s)", Unit::Seconds, false, 0},
                          {"mean_s", "Mean(s)", Unit::Seconds, false, 0},
                          {"p99_s", "99th_p(s)", Unit::Seconds, false, 0},
                          {"std_dev_s", "std_dev(s)", Unit::Seconds, false, 0}}};
  for (Column& column : table.columns) column.asked = true;  // as published, whole
  table.shown_columns = table.columns;
  const bool name_threads = threads_differ(run);
  for (const BenchGroup& group : run.groups)
    for (const VariantResult& result : group.result.variants) {
      const Variant& variant = result.variant;
      std::string backend = backend_text(variant);
      if (name_threads) backend += fmt::format(" ({} threads)", variant.session.threads);
      TableRow& row = table.rows.emplace_back();
      row.cells = {model_text(group, variant), export_text(variant), backend, variant.precision()};
      row.shown = row.cells;
      const bool measured = result.runs() > 0;
      const Summary summary = measured ? result.summary() : Summary{};
      const auto add = [&](std::optional<double> number, const std::string& otherwise) {
        const std::string text = number ? digits(*number) : otherwise;
        row.cells.emplace_back(number ? Cell(std::strtod(text.c_str(), nullptr)) : Cell());
        row.shown.emplace_back(text);
      };
      const auto given = [&](double number) {
        return measured ? std::optional(number) : std::nullopt;
      };
      const bool closed = run.method.load.kind != LoadMode::Kind::Rate;
      const std::string none = "–";
      add(closed ? given(static_cast<double>(variant.batch) / summary.median) : std::nullopt, none);
      add(samples_per_second(result, run.method.load), none);
      add(given(summary.median), none);
      add(given(summary.mean), none);
      const auto p99 = measured ? summary.percentile(0.99) : std::nullopt;
      add(p99, measured ? percentile_text(summary, 0.99) : none);
      add(measured ? summary.stddev : std::nullopt, none);
    }
  return table;
}

std::string bench_headline(const BenchRun& run) {
  const BenchGroup* best = nullptr;
  std::size_t at = 0;
  for (const BenchGroup& group : run.groups)
    for (std::size_t i = 0; i < group.result.speed_ups.size(); ++i) {
      const auto& speed_up = group.result.speed_ups[i];
      if (i == group.result.base || !speed_up || speed_up->interval.low <= 1 ||
          group.result.variants[i].failure != Failure::None)
        continue;
      if (best != nullptr && speed_up->median <= best->result.speed_ups[at]->median) continue;
      best = &group;
      at = i;
    }
  if (best == nullptr) return "";
  const SpeedUp& speed_up = *best->result.speed_ups[at];
  std::string text =
      fmt::format("Up to {} over {}: {} on {}", speed_up_text(speed_up.median, speed_up.interval),
                  variant_text(best->result.variants[best->result.base].variant), group_text(*best),
                  variant_text(best->result.variants[at].variant));
  if (speed_up.tail) text += fmt::format(", {:.2f}× at p99", *speed_up.tail);
  return text;
}

}  // namespace strata
