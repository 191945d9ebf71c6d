#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/quantity.h"
#include "cli/quantize_run.h"
#include "strata/base/number_text.h"
#include "strata/report/report.h"

namespace strata::cli {

namespace {

struct Options {
  QuantizeRequest request;
  std::string method, max_drop, time = "10s";
  double min_sqnr = 0;
  std::string format = "table";
  CLI::Option *min_sqnr_option = nullptr, *percentile_option = nullptr;
  double percentile = 99.99;
  bool no_time = false;
};

constexpr const char* kFooter =
    "Activations become uint8 by tensor, weights int8 by channel, norms are folded: Q/DQ pairs "
    "that\n"
    "ONNX Runtime runs on its int8 kernels. --keep-float auto keeps the layers in floats whose\n"
    "drop over the time that int8 saves them is largest, as few as the target needs, and judges "
    "on\n"
    "samples that ranges were not measured on. OUT.exclude.txt lists the nodes that stay in "
    "floats,\n"
    "as other quantizers take it.\n"
    "\n"
    "Examples:\n"
    "  strata quantize resnet50.onnx --ranges ranges.json --data photos -o resnet50.int8.onnx\n"
    "  strata quantize mobilenet_v2.onnx --data photos --keep-float auto --min-sqnr 25 -o m.onnx\n"
    "  strata quantize m.onnx --data photos --keep-float features.0,classifier -o m.int8.onnx\n"
    "  strata quantize zoo:resnet50 --random -o resnet50.int8.onnx";

// One row a layer, worst use of int8 first in no order but the network's.
Profile layer_table(const QuantizeOutcome& outcome) {
  Profile table;
  table.columns = {{"layer", "Layer", Unit::Text, false, 0},
                   {"block", "Block", Unit::Text, false, 5},
                   {"runs", "Runs in", Unit::Text, false, 0},
                   {"float_s", "Float", Unit::Seconds, false, 1},
                   {"int8_s", "As written", Unit::Seconds, false, 1},
                   {"speed_up", "Speed-up", Unit::Text, false, 2},
                   {"drop", "Drop alone", Unit::Text, false, 3}};
  bool blocks = false, drops = false;
  for (const QuantizedLayer& layer : outcome.layers) {
    ProfileRow& row = table.rows.emplace_back();
    row.cells.resize(table.columns.size());
    row.cells[0].value = layer.path;
    row.cells[1].value = layer.block;
    row.cells[2].value = std::string(layer.int8 ? "int8" : "float");
    const bool both = layer.float_seconds > 0 && layer.int8_seconds > 0;
    if (layer.float_seconds >= 0) row.cells[3].value = layer.float_seconds;
    if (layer.int8_seconds >= 0) row.cells[4].value = layer.int8_seconds;
    row.cells[5].value =
        both ? fmt::format("{:.2f}×{}", layer.float_seconds / layer.int8_seconds,
                           layer.float_seconds < layer.int8_seconds && layer.int8 ? " slower" : "")
             : std::string("–");
    row.cells[6].value =
        layer.drop ? fmt::format("{:.1f} dB", -10 * std::log10(*layer.drop)) : std::string("–");
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

std::string answers_text(const QuantizeOutcome& outcome) {
  const auto sqnr = value(Quality::Sqnr, outcome.scores);
  const auto cosine = value(Quality::Cosine, outcome.scores);
  const auto top1 = value(Quality::Top1, outcome.scores);
  std::string text = "answers:";
  if (sqnr) {
    text += fmt::format(" SQNR {:.1f} dB", *sqnr);
    if (const auto interval = value_interval(Quality::Sqnr, outcome.scores))
      text += fmt::format(" [{:.1f}, {:.1f}]", interval->low, interval->high);
  }
  if (cosine) text += fmt::format(", cosine {:.5f}", *cosine);
  if (top1) text += fmt::format(", the same class for {:.1f} %", *top1);
  return text + fmt::format(" of {} {}samples held out\n", outcome.scores.size(),
                            outcome.random ? "random " : "");
}

std::string summary(const QuantizeOutcome& outcome, const std::string& output) {
  std::size_t int8 = 0, slower = 0;
  for (const QuantizedLayer& layer : outcome.layers) {
    int8 += layer.int8 ? 1 : 0;
    slower += layer.int8 && layer.int8_seconds > layer.float_seconds && layer.float_seconds > 0;
  }
  std::string text =
      fmt::format("{}: {} of {} layers in int8, and {} operators between them; {} → {} ({:.2f}×)\n",
                  output, int8, outcome.layers.size(), outcome.int8_nodes,
                  human_bytes(static_cast<double>(outcome.float_bytes)),
                  human_bytes(static_cast<double>(outcome.int8_bytes)),
                  static_cast<double>(outcome.float_bytes) /
                      static_cast<double>(std::max<std::int64_t>(outcome.int8_bytes, 1)));
  text += answers_text(outcome);
  if (outcome.bench && outcome.bench->variants.size() == 2) {
    const VariantResult& written = outcome.bench->variants[1];
    const auto& speed_up = outcome.bench->speed_ups[1];
    if (written.failure != Failure::None)
      text += fmt::format("latency: {}: {}\n", failure_name(written.failure), written.reason);
    else if (speed_up)
      text += fmt::format("latency: {} → {}: {:.2f}× [{:.2f}, {:.2f}]\n",
                          human_seconds(outcome.bench->variants[0].summary().median),
                          human_seconds(written.summary().median), speed_up->median,
                          speed_up->interval.low, speed_up->interval.high);
    if (slower > 0) text += fmt::format("{} layers are slower in int8 than in floats\n", slower);
  }
  if (outcome.tried > 1)
    text += fmt::format("{} models were tried to find the layers to keep\n", outcome.tried);
  if (outcome.reduced_range)
    text += "weights have 7 bits: this processor cuts off products of 8 bits\n";
  return text + fmt::format("nodes in floats: {}\n", outcome.exclude);
}

nlohmann::ordered_json optional_json(const std::optional<double>& number) {
  return number && std::isfinite(*number) ? nlohmann::ordered_json(*number) : nullptr;
}

std::string outcome_json(const QuantizeOutcome& outcome, const std::string& output) {
  using Json = nlohmann::ordered_json;
  const auto seconds = [](double value) { return value < 0 ? Json(nullptr) : Json(value); };
  Json layers = Json::array();
  for (const QuantizedLayer& layer : outcome.layers)
    layers.push_back({{"layer", layer.path},
                      {"block", layer.block},
                      {"int8", layer.int8},
                      {"float_s", seconds(layer.float_seconds)},
                      {"written_s", seconds(layer.int8_seconds)},
                      {"drop", optional_json(layer.drop)}});
  Json speed = nullptr;
  if (outcome.bench && outcome.bench->speed_ups.size() == 2 && outcome.bench->speed_ups[1])
    speed = {{"float_s", outcome.bench->variants[0].summary().median},
             {"int8_s", outcome.bench->variants[1].summary().median},
             {"speed_up", outcome.bench->speed_ups[1]->median},
             {"interval",
              {outcome.bench->speed_ups[1]->interval.low,
               optional_json(outcome.bench->speed_ups[1]->interval.high)}}};
  const Json document = {{"schema", 1},
                         {"output", output},
                         {"exclude", outcome.exclude},
                         {"float_bytes", outcome.float_bytes},
                         {"int8_bytes", outcome.int8_bytes},
                         {"answers",
                          {{"samples", outcome.scores.size()},
                           {"random", outcome.random},
                           {"sqnr_db", optional_json(value(Quality::Sqnr, outcome.scores))},
                           {"cosine", optional_json(value(Quality::Cosine, outcome.scores))},
                           {"top1_percent", optional_json(value(Quality::Top1, outcome.scores))}}},
                         {"latency", speed},
                         {"layers", layers}};
  return document.dump(2) + "\n";
}

Result<int> run(Options& options) {
  QuantizeRequest& request = options.request;
  if (!options.method.empty()) {
    RangeOptions choice;
    choice.choice = *range_choice_from_name(options.method);
    choice.percentile = options.percentile;
    request.choice = choice;
  }
  if (options.min_sqnr_option->count() > 0) request.target.min_sqnr = options.min_sqnr;
  if (!options.max_drop.empty()) {
    const auto share = parse_quantity(options.max_drop, Quantity::Share);
    if (!share) return failure("--max-drop: " + share.error().message, ErrorKind::Usage);
    request.target.max_drop = *share;
  }
  const auto seconds = parse_quantity(options.time, Quantity::Seconds);
  if (!seconds) return failure("--max-time: " + seconds.error().message, ErrorKind::Usage);
  request.seconds = *seconds;
  request.time = !options.no_time;
  const bool automatic = request.keep_float == std::vector<std::string>{"auto"};
  if (automatic && !request.target.min_sqnr && !request.target.max_drop)
    return failure("--keep-float auto needs a target: --min-sqnr or --max-drop", ErrorKind::Usage);
  if (!automatic && (request.target.min_sqnr || request.target.max_drop))
    return failure("--min-sqnr and --max-drop belong to --keep-float auto", ErrorKind::Usage);
  auto outcome = run_quantize(request);
  if (!outcome) return tl::unexpected(outcome.error());
  std::string text;
  if (options.format == "json") {
    text = outcome_json(*outcome, request.output);
  } else if (options.format == "csv") {
    text = to_csv(layer_table(*outcome));
  } else {
    TableStyle style;
    style.width = terminal_width();
    style.color = wants_color();
    if (outcome->bench) text = to_table(layer_table(*outcome), style) + "\n";
    text += summary(*outcome, request.output);
  }
  if (auto status = write_output("", text); !status) return tl::unexpected(status.error());
  return kFine;
}

}  // namespace

Command add_quantize(CLI::App& program) {
  auto options = std::make_shared<Options>();
  QuantizeRequest& request = options->request;
  CLI::App* app = program.add_subcommand(
      "quantize", "an int8 model that keeps the layers that break in floats");
  app->footer(kFooter);
  request.model.add_to(*app);
  request.data.add_to(*app);
  app->remove_option(app->get_option_no_throw("--labels"));
  app->add_option("-o,--output", request.output, "the model to write")
      ->required()
      ->option_text("OUT");
  app->add_option("--ranges", request.ranges,
                  "what `strata calibrate` wrote (measured if not given)")
      ->option_text("FILE");
  app->add_option("--method", options->method,
                  "that chooses ranges: minmax, percentile, entropy, mse (the file's)")
      ->check(CLI::IsMember({"minmax", "percentile", "entropy", "mse"}))
      ->option_text("NAME");
  app->add_option("--percentile", options->percentile, "for that method (99.99)")
      ->check(CLI::Range(50.0, 100.0))
      ->option_text("P");
  app->add_option("--keep-float", request.keep_float,
                  "layers, blocks or patterns with commas; auto; none (the default)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("LIST");
  options->min_sqnr_option =
      app->add_option("--min-sqnr", options->min_sqnr, "dB that answers must have, for auto")
          ->check(CLI::Range(-1000.0, 1000.0))
          ->option_text("DB");
  app->add_option("--max-drop", options->max_drop, "samples that may get another class: 1%")
      ->option_text("SHARE");
  app->add_option("--held-out", request.held_out, "samples that answers are judged on (16)")
      ->check(CLI::Range(1, 1'000'000))
      ->option_text("N");
  request.engine.add_to(*app);
  app->add_option("--max-time", options->time, "to measure the speed-up for (10s)")
      ->option_text("TIME");
  app->add_flag("--no-time", options->no_time, "measure no times");
  app->add_option("--format", options->format, "table (the default), csv, json")
      ->check(CLI::IsMember({"table", "csv", "json"}))
      ->option_text("FORMAT");
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
