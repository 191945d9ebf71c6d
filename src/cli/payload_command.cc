#include "cli/model_options.h"
#include "cli/table_options.h"
#include "manual/advice.h"
#include "options/options.h"
#include "strata/task/payload.h"

namespace strata::cli {

namespace {

struct Options {
  ModelOptions model;
  TableOptions table;
  PayloadOptions payload;
  PayloadRequest request;
  bool split = false, no_return = false;
  double link = 0;  // bytes a second
  double round_trip = 0;
  std::string edge, server, ship_as = "raw";
};

Result<SplitRequest> split_request(const Options& options) {
  SplitRequest out;
  out.options.link_bytes_per_second = options.link;
  out.options.round_trip_seconds = options.round_trip;
  out.options.returns_results = !options.no_return;
  out.options.phrase = manual::advised;
  for (Precision precision : {Precision::Raw, Precision::Fp16, Precision::Int8})
    if (name_of(precision) == options.ship_as) out.options.precision = precision;
  auto edge = of_option("--edge:", parse_machine(options.edge));
  if (!edge) return failure(edge);
  auto server = of_option("--server:", parse_machine(options.server));
  if (!server) return failure(server);
  out.edge = std::move(*edge);
  out.server = std::move(*server);
  return out;
}

// What is asked for, where nothing is.
Status read_parts(Options& options) {
  PayloadRequest& request = options.request;
  const std::string_view format = options.table.format();
  if (!request.boundaries && !request.cuts && !options.split) {
    request.boundaries = true;
    request.cuts = format != "csv";
  }
  const int parts = int(request.boundaries) + int(request.cuts) + int(options.split);
  if (format == "csv" && options.split)
    return failure("--split is no table: take --format table, md or json", ErrorKind::Usage);
  if (format == "csv" && parts != 1)
    return failure("--format csv holds one table: choose --boundaries or --cuts", ErrorKind::Usage);
  if (options.table.has_all()) options.payload.all = true;
  request.all_places = options.payload.all;
  options.payload.exact = options.table.exact;
  options.payload.phrase = manual::advised;
  return {};
}

Result<int> run(Options& options) {
  if (Status status = read_parts(options); !status) return failure(status);
  if (Status status = options.table.check("payload"); !status) return failure(status);
  if (auto status = options.model.read_into(options.request.model); !status) return failure(status);
  if (options.split) {
    auto split = split_request(options);
    if (!split) return failure(split);
    options.request.split = std::move(*split);
  }
  const auto outcome = run_payload(options.request);
  if (!outcome) return failure(outcome);
  options.table.limit_to(outcome->loaded.model.file_bytes, options.model.limit);
  const auto named = outcome->named_split();
  Document document = payload_document(
      outcome->source(), outcome->boundaries ? &*outcome->boundaries : nullptr,
      outcome->cuts ? &*outcome->cuts : nullptr, named ? &*named : nullptr, options.payload);
  return options.table.print(std::move(document));
}

}  // namespace

Command add_payload(App& program) {
  auto options = std::make_shared<Options>();
  options->request.boundaries = options->request.cuts = false;  // until they are asked for
  App* app =
      program.add_subcommand("payload", "what crosses each boundary, and where a split pays");
  options->model.add_to(*app);
  options->model.add_wait_to(
      *app, [options = options.get()] { return may_be_run({options->model.path}); });
  app->add({{"--boundaries", &options->request.boundaries},
            {"--cuts", &options->request.cuts},
            {"--split", &options->split},
            {"--ship-as", &options->ship_as},
            {"--link", &options->link},
            {"--rtt", &options->round_trip},
            {"--edge", &options->edge},
            {"--server", &options->server},
            {"--no-return", &options->no_return},
            {"--depth", &options->payload.depth},
            {"--modules", &options->payload.modules},
            {"--all", &options->payload.all}});
  const Option* boundaries = app->get_option("--boundaries");
  const Option* cuts = app->get_option("--cuts");
  const auto tables = [=](bool also_cuts) {
    return [=] {
      return boundaries->given() || (also_cuts && cuts->given()) ||
             (!cuts->given() && !options->split);
    };
  };
  app->need_that({"--depth", "--modules"}, tables(false),
                 "no boundaries are listed; add --boundaries");
  app->need_that({"--all"}, tables(true), "a split has no such rows; add --boundaries or --cuts");
  app->need_that(
      {"--all"}, [=] { return !options->table.has_all(); },
      "csv, json and html have all rows; take --format table or md");
  options->table.add_to(*app, Exact::Digits);
  app->need_that(
      {"--columns", "--sort", "--top", "--filter"},
      [=] { return boundaries->given() != cuts->given(); },
      "it is for one table; give --boundaries or --cuts");
  app->need_that({"--width"}, tables(true),
                 "a split has no columns to fit; add --boundaries or --cuts");
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
