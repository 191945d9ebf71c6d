#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "cli/job_display.h"
#include "cli/outlet.h"
#include "cli/printable.h"
#include "cli/sample_options.h"
#include "cli/table_options.h"
#include "options/options.h"
#include "strata/task/sensitivity.h"

namespace strata::cli {

namespace {

struct Options {
  SampleOptions on;
  RangeChoiceOptions ranges;
  SensitivityRequest request;
  std::string metric, plot;
  TableOptions table;
  double cache = 2e9;
  std::optional<double> max_time;
  int bits = 8;
  bool weights_only = false, activations_only = false;
  std::uint64_t top = 10;
};

constexpr std::string_view kScores = ".json";  // a file of all scores, to go on with

Status read_metric(Options& options) {
  SensitivityRequest& request = options.request;
  if (!request.command.empty())
    request.quality = Quality::Command;
  else if (!options.metric.empty())
    request.quality = quality_from_name(options.metric).value_or(Quality::Sqnr);
  else if (!options.on.data.labels.empty())
    request.quality = Quality::Accuracy;
  if (request.quality == Quality::Accuracy && options.on.data.labels.empty())
    return failure(Code::NeedsLabels);
  return {};
}

Status read_options(Options& options, const App& app) {
  SensitivityRequest& request = options.request;
  request.rounding.weights = !options.activations_only;
  request.rounding.activations = !options.weights_only;
  request.rounding.weight_bits = request.rounding.activation_bits = options.bits;
  request.choice = options.ranges.choice();
  request.memory_bytes = static_cast<std::int64_t>(std::min(options.cache, 9e18));
  if (request.budget > 1)
    return failure(Code::OptionValue, {.name = "--passes", .detail = "it must be at most 100%"});
  request.budget_seconds = options.max_time.value_or(0);
  if (Status status = read_metric(options); !status) return status;
  if (Status status = options.on.read_into(request); !status) return status;
  request.caller = {version_text(), given_options(app)};
  request.top = std::max(1, static_cast<int>(std::min<std::uint64_t>(options.top, 1000)));
  if (options.table.output.ends_with(kScores)) request.journal = options.table.output;
  if (!options.plot.empty())
    if (Status status = check_sensitivity_plot(options.plot); !status) return status;
  return options.table.check("sensitivity");
}

Result<int> print_sensitivity(Options& options, const App& app) {
  if (Status status = read_options(options, app); !status) return failure(status);
  JobDisplay display;
  auto outcome = display.run(run_sensitivity, options.request);
  if (!outcome) return failure(outcome);
  if (outcome->interrupted && !outcome->run.has_scores())
    return interrupted("stopped before a layer was measured");
  Document document = sensitivity_document(outcome->run);
  if (!options.table.has_all())
    for (Table& table : document.tables) keep_top(table, options.top);
  if (Status status = outcome->interrupted ? options.table.write_partial(std::move(document))
                                           : options.table.write(std::move(document));
      !status)
    return failure(status);
  if (!options.plot.empty() && !outcome->interrupted)
    if (Status status = save_sensitivity_plot(outcome->run, options.plot); !status)
      return failure(status);
  if (outcome->unwritten) return tl::unexpected(*outcome->unwritten);
  if (!outcome->interrupted) return kFine;
  if (outcome->kept_in.empty())
    return interrupted(
        "interrupted: the scores are partial; add -o FILE.json to be able to resume");
  return interrupted(
      fmt::format("interrupted: the scores so far are in {}; run the same command{} "
                  "to resume",
                  outcome->kept_in, options.request.fresh ? " without --fresh" : ""));
}

// Adds the options for what is compared, and how.
void add_measuring(App& app, Options& options) {
  SensitivityRequest& request = options.request;
  app.add({{"--ranges", &request.ranges}});
  options.ranges.add_to(app, true);
  app.add({{"--metric", &options.metric},
           {"--metric-cmd", &request.command},
           {"--bits", &options.bits},
           {"--weights-only", &options.weights_only},
           {"--activations-only", &options.activations_only},
           {"--leave-one-out", &request.leave_one_out},
           {"--parts", &request.parts}});
  app.need_that(
      {"--labels"},
      [&options] {
        return options.request.command.empty() &&
               (options.metric.empty() || options.metric == "accuracy");
      },
      "only accuracy looks at labels; take --metric accuracy");
}

// Adds the options for the effort.
void add_effort(App& app, Options& options) {
  app.add({{"--naive", &options.request.naive},
           {"--cache", &options.cache},
           {"--passes", &options.request.budget},
           {"--max-time", &options.max_time}});
  app.old_name("--budget", [&app](const std::string& value) {
    return app.get_option(value.ends_with('%') ? "--passes" : "--max-time");
  });
}

}  // namespace

Command add_sensitivity(App& program) {
  auto options = std::make_shared<Options>();
  SensitivityRequest& request = options->request;
  App* app = program.add_subcommand("sensitivity", "find the layers that break in int8");
  options->on.model.add_to(*app);
  options->on.data.data.samples = 64;
  options->on.data.add_to(*app);
  add_measuring(*app, *options);
  add_effort(*app, *options);
  app->add({{"--top", &options->top}});
  app->need_that(
      {"--top"}, [options] { return !options->table.has_all(); },
      "csv, json and html have every layer; take --format table or md");
  options->table.kept_apart = kScores;
  options->table.add_to(*app, Exact::Numbers);
  app->add({{"--fresh", &request.fresh}, {"--plot", &options->plot}});
  app->need_that(
      {"--fresh"}, [options] { return options->table.output.ends_with(kScores); },
      "no scores are saved to resume from; add -o FILE.json");
  options->on.engine.add_to(*app);
  options->on.model.add_wait_to(*app);
  return {app, [options, app] { return print_sensitivity(*options, *app); }};
}

}  // namespace strata::cli
