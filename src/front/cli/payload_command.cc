#include <fmt/format.h>

#include "cli/model_options.h"
#include "cli/outlet.h"
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
  double link = 100e6 / 8;  // bytes a second
  double round_trip = 0;
  std::string edge = "raspberry-pi-5", server = "a100-80", ship_as = "raw", ship_input;
};

// A mistake in one option must not hide one in the next.
template <class T>
void keep(Result<T> read, std::string_view option, T& to, std::string& problems) {
  if (read)
    to = std::move(*read);
  else
    problems +=
        fmt::format("{}{} {}", problems.empty() ? "" : "\n", option, manual::advised(read.error()));
}

Result<SplitRequest> split_request(const Options& options) {
  SplitRequest out;
  out.options.link_bytes_per_second = options.link;
  out.options.round_trip_seconds = options.round_trip;
  out.options.returns_results = !options.no_return;
  out.options.phrase = manual::advised;
  for (Precision precision : {Precision::Raw, Precision::Fp16, Precision::Int8})
    if (name_of(precision) == options.ship_as) out.options.precision = precision;
  std::string problems;
  keep(parse_machine(options.edge), "--edge:", out.edge, problems);
  keep(parse_machine(options.server), "--server:", out.server, problems);
  if (!options.ship_input.empty()) {
    double bytes = 1;
    keep(parse_input_bytes(options.ship_input), "--ship-input:", bytes, problems);
    out.options.input_bytes = bytes;
  }
  if (!problems.empty()) return failure(problems, ErrorKind::Usage);
  return out;
}

// Chooses the parts to show if nothing was asked for.
Status read_parts(Options& options) {
  PayloadRequest& request = options.request;
  const std::string_view format = options.table.format();
  if (!request.boundaries && !request.cuts && !options.split) {
    // Programs get the tables; people where a split would pay.
    const bool is_for_people = format == "table" || format == "md";
    options.payload.best_cuts = is_for_people || format == "html";
    request.may_lack_split = options.payload.best_cuts;
    request.boundaries = !is_for_people || outlet() != nullptr;
    request.cuts = format != "csv";
  }
  const int parts = int(request.boundaries) + int(request.cuts) + int(options.split);
  if (format == "csv" && options.split)
    return failure(Code::OptionValue, {.name = "--format"},
                   "--split is not a table: take --format table, md or json");
  if (format == "csv" && parts != 1)
    return failure(Code::OptionValue, {.name = "--format"},
                   "--format csv holds one table: choose --boundaries or --cuts");
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
  if (options.split || options.payload.best_cuts) {
    auto split = split_request(options);
    if (!split) return failure(split);
    options.request.split = std::move(*split);
  }
  const auto outcome = run_payload(options.request);
  if (!outcome) return failure(outcome);
  options.payload.why_no_split = outcome->why_no_split;
  options.payload.own_machines =
      "--edge and --server name other machines, --split shows one link, --boundaries every layer";
  options.table.limit_to(outcome->loaded.model.file_bytes, options.model.limit);
  const auto named = outcome->named_split();
  // Without times, the cuts that ship least are the best answer there is.
  const bool shows_cuts =
      outcome->cuts && (!options.payload.best_cuts || !named || options.request.boundaries);
  Document document = payload_document(
      outcome->source(), outcome->boundaries ? &*outcome->boundaries : nullptr,
      shows_cuts ? &*outcome->cuts : nullptr, named ? &*named : nullptr, options.payload);
  return options.table.print(std::move(document));
}

}  // namespace

Command add_payload(App& program) {
  auto options = std::make_shared<Options>();
  options->request.boundaries = options->request.cuts = false;  // until they are asked for
  App* app =
      program.add_subcommand("payload", "count bytes at each boundary; find where a split pays");
  options->model.add_to(*app);
  options->model.add_wait_to(*app,
                             [options = options.get()] { return options->model.may_be_run(); });
  app->add({{"--boundaries", &options->request.boundaries},
            {"--cuts", &options->request.cuts},
            {"--split", &options->split},
            {"--ship-as", &options->ship_as},
            {"--ship-input", &options->ship_input},
            {"--link", &options->link},
            {"--rtt", &options->round_trip},
            {"--edge", &options->edge},
            {"--server", &options->server},
            {"--no-return", &options->no_return},
            {"--depth", &options->payload.depth},
            {"--modules", &options->payload.modules},
            {"--all", &options->payload.all},
            {"--as-stored", &options->request.as_stored}});
  const Option* boundaries = app->get_option("--boundaries");
  const Option* cuts = app->get_option("--cuts");
  const auto is_default = [=] { return !boundaries->given() && !cuts->given() && !options->split; };
  const auto tables = [=](bool also_cuts) {
    return [=] {
      return boundaries->given() || (also_cuts && cuts->given()) ||
             (is_default() && options->table.has_all());
    };
  };
  app->need_that({"--depth", "--modules"}, tables(false),
                 "no boundaries are listed; add --boundaries");
  app->need_that({"--all"}, tables(true), "a split has no such rows; add --boundaries or --cuts");
  app->need_that(
      {"--link", "--rtt"}, [=] { return options->split; },
      "every link is looked at; add --split for one");
  app->need_that(
      {"--edge", "--server", "--ship-as", "--ship-input", "--no-return"},
      [=] { return options->split || is_default(); }, "the network is not divided; add --split");
  app->need_that(
      {"--all"}, [=] { return !options->table.has_all(); },
      "csv, json and html have all rows; take --format table or md");
  options->table.add_to(*app, Exact::Digits);
  app->need_that(
      {"--columns", "--sort", "--top", "--filter"},
      [=] { return boundaries->given() != cuts->given(); },
      "it is for one table; give --boundaries or --cuts");
  app->need_that(
      {"--width"}, [=] { return !options->split || boundaries->given() || cuts->given(); },
      "a split has no columns to fit; add --boundaries or --cuts");
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
