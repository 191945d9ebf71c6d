#include <filesystem>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/quantity.h"
#include "cli/model_options.h"
#include "strata/report/payload.h"

namespace strata::cli {

namespace {

struct Options {
  ModelOptions model;
  PayloadOptions payload;
  std::string format = "table";
  std::string output;
  std::size_t width = 0;
  bool boundaries = false;
  bool cuts = false;
  bool split = false;
  std::string link, round_trip = "0s", edge, server, precision = "raw";
  bool no_return = false;
  CLI::Option* width_option = nullptr;
};

constexpr const char* kFooter =
    "The network can be cut after any layer: what crosses is all that was made before and is\n"
    "read after, however far behind. --split takes the least latency over all ways to divide\n"
    "the layers, not only those in running order.\n"
    "A machine is a saved profile with a column `time`, or FLOP/s and memory B/s.\n"
    "\n"
    "Examples:\n"
    "  strata payload mobilenet_v2.onnx --depth 1\n"
    "  strata payload resnet50.onnx --cuts\n"
    "  strata payload resnet50.onnx --split --link 100Mbps --rtt 10ms \\\n"
    "      --edge 50GFLOP/s,20GB/s --server 5TFLOP/s,600GB/s --precision int8";

// A speed, or the path of a saved profile.
Result<LayerTimes> machine_times(const PayloadSource& source, const std::string& option,
                                 const std::string& text) {
  if (text.empty())
    return failure(
        fmt::format("--split needs {}: a speed, such as 50GFLOP/s, or a saved profile", option),
        ErrorKind::Usage);
  std::error_code error;
  const bool is_file = std::filesystem::exists(text, error);
  if (!is_file && text[0] >= '0' && text[0] <= '9') {
    auto speed = parse_machine_speed(text);
    if (!speed)
      return failure(fmt::format("{}: {}", option, speed.error().message), ErrorKind::Usage);
    return times_from_speed(source.model, source.costs, source.layers, *speed);
  }
  auto profile = read_profile(text);
  if (!profile) return tl::unexpected(profile.error());
  return times_from_profile(source.model, source.costs, source.layers, *profile, text);
}

Result<Split> make_split(const PayloadSource& source, const Options& options) {
  SplitOptions split;
  if (options.link.empty())
    return failure("--split needs --link, such as 100Mbps", ErrorKind::Usage);
  auto link = parse_quantity(options.link, Quantity::BytesPerSecond);
  if (!link) return failure(fmt::format("--link: {}", link.error().message), ErrorKind::Usage);
  split.link_bytes_per_second = *link;
  auto round_trip = parse_quantity(options.round_trip, Quantity::Seconds);
  if (!round_trip)
    return failure(fmt::format("--rtt: {}", round_trip.error().message), ErrorKind::Usage);
  split.round_trip_seconds = *round_trip;
  for (Precision precision : {Precision::Raw, Precision::Fp16, Precision::Int8})
    if (name(precision) == options.precision) split.precision = precision;
  split.returns_results = !options.no_return;
  auto edge = machine_times(source, "--edge", options.edge);
  if (!edge) return tl::unexpected(edge.error());
  auto server = machine_times(source, "--server", options.server);
  if (!server) return tl::unexpected(server.error());
  return find_split(source.model, source.costs, source.layers, *edge, *server, split);
}

std::string tables_text(const Options& options, const std::vector<Profile>& tables,
                        const std::string& split) {
  TableStyle style;
  style.width = options.width_option->count() > 0 ? options.width : terminal_width();
  style.exact = options.payload.exact;
  style.color = options.output.empty() && wants_color();
  std::string text;
  for (const Profile& table : tables) {
    if (!text.empty()) text += "\n";
    text += options.format == "csv"  ? to_csv(table)
            : options.format == "md" ? to_markdown(table, style)
                                     : to_table(table, style);
  }
  if (split.empty()) return text;
  if (!text.empty()) text += "\n";
  return text + (options.format == "md" ? "```\n" + split + "```\n" : split);
}

Result<int> run_payload(Options& options) {
  if (!options.boundaries && !options.cuts && !options.split) {
    options.boundaries = true;
    options.cuts = options.format != "csv";
  }
  const int parts = int(options.boundaries) + int(options.cuts) + int(options.split);
  if (options.format == "csv" && (parts != 1 || options.split))
    return failure("--format csv holds one table: choose --boundaries or --cuts", ErrorKind::Usage);
  const bool has_split_option =
      !options.link.empty() || !options.edge.empty() || !options.server.empty();
  if (has_split_option && !options.split)
    return failure("--link, --edge and --server belong to --split", ErrorKind::Usage);
  options.payload.machine = options.format == "csv";
  if (options.format == "csv" || options.format == "json") options.payload.all = true;

  auto loaded = load(options.model);
  if (!loaded) return tl::unexpected(loaded.error());
  const Costs costs = count(loaded->model);
  const Layers layers = find_layers(loaded->model, costs);
  const PayloadSource source{loaded->model, costs, layers, loaded->inference};

  std::optional<Boundaries> boundaries;
  std::optional<Cuts> cuts;
  std::optional<NamedSplit> named;
  Result<Split> split = failure("");
  if (options.boundaries) boundaries = find_boundaries(loaded->model, costs, layers);
  if (options.cuts) cuts = find_cuts(loaded->model, costs, layers);
  if (options.split) {
    split = make_split(source, options);
    if (!split) return tl::unexpected(split.error());
    named.emplace(NamedSplit{*split, options.edge, options.server});
  }

  std::string text;
  if (options.format == "json") {
    text = payload_to_json(source, boundaries ? &*boundaries : nullptr, cuts ? &*cuts : nullptr,
                           named ? &*named : nullptr, options.payload);
  } else {
    std::vector<Profile> tables;
    if (boundaries) tables.push_back(boundary_table(source, *boundaries, options.payload));
    if (cuts) tables.push_back(cut_table(source, *cuts, options.payload));
    TableStyle style;
    style.exact = options.payload.exact;
    text = tables_text(options, tables, named ? split_text(source, *named, style) : "");
  }
  if (auto status = write_output(options.output, text); !status)
    return tl::unexpected(status.error());
  return kFine;
}

}  // namespace

Command add_payload(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app =
      program.add_subcommand("payload", "what crosses each boundary, and where a split pays");
  app->footer(kFooter);
  options->model.add_to(*app);
  app->add_flag("--boundaries", options->boundaries,
                "what enters and leaves each module call and operation");
  app->add_flag("--cuts", options->cuts, "what crosses at each place the network can be cut");
  app->add_flag("--split", options->split, "the fastest way to divide it between two machines");
  app->add_option("--depth", options->payload.depth, "levels of modules")->option_text("N");
  app->add_flag("--modules", options->payload.modules, "no operations between modules");
  app->add_flag("--all", options->payload.all,
                "also views between modules; every place to cut (csv and json have all)");
  app->add_option("--link", options->link, "speed of the link: 100Mbps, 12.5MB/s")
      ->option_text("RATE");
  app->add_option("--rtt", options->round_trip, "round trip of the link, paid once (0s)")
      ->option_text("TIME");
  app->add_option("--edge", options->edge, "the machine that has the input")
      ->option_text("MACHINE");
  app->add_option("--server", options->server, "the machine at the other end")
      ->option_text("MACHINE");
  app->add_option("--precision", options->precision,
                  "floats are shipped raw (the default), as fp16 or as int8")
      ->check(CLI::IsMember({"raw", "fp16", "int8"}))
      ->option_text("NAME");
  app->add_flag("--no-return", options->no_return, "the results stay on the server");
  app->add_option("--format", options->format, "table (the default), csv, json, md")
      ->check(CLI::IsMember({"table", "csv", "json", "md"}))
      ->option_text("FORMAT");
  app->add_option("-o,--output", options->output, "write to a file")->option_text("FILE");
  app->add_flag("--exact", options->payload.exact, "every digit instead of human units");
  options->width_option =
      app->add_option("--width", options->width, "columns to fit the table into; 0: no limit")
          ->option_text("N");
  return {app, [options] { return run_payload(*options); }};
}

}  // namespace strata::cli
