#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "base/standard_input.h"
#include "cli/complain.h"
#include "cli/job_display.h"
#include "cli/model_options.h"
#include "cli/outlet.h"
#include "cli/stat_weights.h"
#include "cli/table_options.h"
#include "cli/time_options.h"
#include "manual/advice.h"
#include "manual/option_groups.h"
#include "options/options.h"
#include "strata/profile/columns.h"
#include "strata/report/report.h"
#include "strata/task/stat.h"
#include "strata/task/totals.h"

namespace strata::cli {

namespace {

struct StatOptions {
  ModelOptions model;
  std::vector<std::string> more;  // models
  TimeOptions time;
  ProfileOptions profile;
  TableOptions table;
  std::string report = "calls";
  std::string save, measured;
  bool strict = false;

  bool has_several() const { return !more.empty() || names_several(model.path); }
};

// Stays to the end of the process, which takes less time than taking a large model apart. A caller
// in this process keeps it with the document.
template <class T>
T& keep_to_the_end(T object) {
  if (Outlet* to = outlet()) {
    auto held = std::make_shared<T>(std::move(object));
    to->keep(held);
    return *held;
  }
  static T* kept = nullptr;  // so that checks for leaks see that someone has it
  return *(kept = new T(std::move(object)));
}

Result<StatRequest> read_request(StatOptions& options, const App& app) {
  const auto report = report_kind_from_name(options.report);
  if (!report)
    return failure(fmt::format("there is no report \"{}\"", options.report), ErrorKind::Usage);
  if (auto status = options.table.check("profile"); !status) return failure(status);
  auto model = options.model.request();
  if (!model) return failure(model);
  StatRequest request{std::move(*model), options.profile};
  request.profile.rows.report = *report;
  request.profile.in_depth = options.table.in_depth() || !options.save.empty();
  if (auto status = options.time.read_into(request.time); !status) return failure(status);
  if (request.time) request.time->inputs = input_files(options.model.inputs);
  request.roofline = options.time.roofline;
  request.measured = options.measured;
  const bool saves = !options.save.empty();
  request.profile.row_by_row = !saves;  // the outcome stays to the end
  request.full = options.table.has_all() || saves;
  request.shown = !options.table.has_all() || saves;
  request.caller = {version_text(), given_options(app)};
  return request;
}

Status print(StatOutcome& outcome, StatOptions& options) {
  TableStyle style = options.table.style();
  style.exact = style.exact || !options.profile.layout.empty();
  options.table.limit_to(outcome.loaded->model.file_bytes, options.model.limit);
  Profile& table = options.table.has_all() ? *outcome.full : *outcome.shown;
  // A large table is not copied unless it is written once more.
  Document document = options.save.empty() ? to_document(std::move(table)) : to_document(table);
  if (auto status = options.table.write(std::move(document), style); !status) return status;
  if (options.save.empty()) return {};
  return save_profile(*outcome.shown, *outcome.full, options.save,
                      {.width = 0, .exact = options.table.exact, .phrase = manual::advised});
}

// The totals of several models side by side; what the request says of rows has no effect.
Result<int> stat_several(const std::vector<std::string>& files, const StatRequest& request,
                         TableOptions& table) {
  std::vector<std::string> paths;
  for (const std::string& file : files) {
    auto path = input_path(file);
    if (!path) return failure(path);
    paths.push_back(std::move(*path));
  }
  auto models = models_at(paths);
  if (!models) return failure(models);
  JobDisplay display(request.time.has_value());
  Observer observer = display.observer();
  observer.phrase = manual::advised;
  TotalsOutcome outcome = run_totals({std::move(*models), request}, observer);
  display.clear();
  for (compare::ModelTotals& one : outcome.models) {
    one.file = with_standard_input_named(std::move(one.file));
    one.problem = with_standard_input_named(std::move(one.problem));
  }
  table.limit_to(outcome.bytes, request.model.limit);
  Document document = compare::totals_document(outcome.models, request.profile.convention);
  // What the program itself chooses from a table of layers is chosen from this one.
  if (Status status =
          choose(document, {.columns = request.profile.columns, .sort = request.profile.sort});
      !status)
    return failure(status);
  if (Status status = table.write(std::move(document)); !status) return failure(status);
  if (outcome.interrupted) {
    complain("interrupted: the results are partial");
    return kInterrupted;
  }
  return outcome.has_failed() ? kFailed : kFine;
}

// A file of weights has no graph: it is another job, with the options of any table.
Result<int> run_of_weights(const StatOptions& given, const std::string& path, const App& app,
                           TableOptions& table) {
  const auto report = report_kind_from_name(given.report);
  if (!report)
    return failure(fmt::format("there is no report \"{}\"", given.report), ErrorKind::Usage);
  const WeightsRequest request{path, {*report, given.profile.rows.depth}, given.model.limit};
  return stat_weights(app, request, given.profile, table);
}

Result<int> run(StatOptions& options, const App& app) {
  if (!options.has_several() && !options.model.path.starts_with("zoo:")) {
    const auto path = input_path(options.model.path);
    if (!path) return failure(path);
    if (is_weights_file(*path)) return run_of_weights(options, *path, app, options.table);
  }
  const auto request = read_request(options, app);
  if (!request) return failure(request);
  if (options.has_several()) {
    std::vector<std::string> files = options.more;
    files.insert(files.begin(), options.model.path);
    return stat_several(files, *request, options.table);
  }
  JobDisplay display(request->time.has_value());  // to the end: an interrupt may be several signals
  auto& outcome = keep_to_the_end(run_stat(*request, display.observer()));
  display.clear();
  if (!outcome) return failure(outcome);
  if (!outcome->analysis) {
    complain("interrupted before anything was measured");
    return kInterrupted;
  }
  const bool exact = (options.table.has_all() ? outcome->full : outcome->shown)->is_exact();
  if (auto status = print(*outcome, options); !status) return failure(status);
  if (outcome->interrupted) {
    complain("interrupted: the results are partial");
    return kInterrupted;
  }
  if (options.strict && !exact) {
    complain("--strict: not everything could be counted; see the lines below the table");
    return kBudget;
  }
  return kFine;
}

// Which rows there are, in which order.
void add_rows(App& app, StatOptions& options) {
  RowOptions& rows = options.profile.rows;
  const auto is = [&options](std::initializer_list<std::string_view> kinds) {
    return [&options, kinds = std::vector(kinds)] {
      const std::string own = options.report == "tape" ? "calls" : options.report;
      return std::find(kinds.begin(), kinds.end(), own) != kinds.end();
    };
  };
  app.add({{"--layout", &options.profile.layout},
           {"--report", &options.report},
           {"--depth", &rows.depth},
           {"--fuse", &rows.fuse},
           {"--all", &rows.all},
           {"--columns", &options.profile.columns},
           {"--sort", &options.profile.sort},
           {"--count", &options.profile.convention},
           {"--load-work", &options.profile.load_work}});
  app.need_that({"--depth"}, is({"tree"}), "only a tree has levels; add --report tree");
  app.need_that({"--fuse"}, is({"calls", "leaves", "type"}),
                "it joins rows of layers; take --report calls, leaves or type");
  app.need_that({"--all"}, is({"calls", "node", "leaves", "type"}),
                "this report leaves no rows out; take --report calls, node, leaves or type");
  app.need_that(
      {"--sort"}, [&options] { return options.report != "none" && options.report != "root"; },
      "there is one row at most; take another --report");
}

}  // namespace

Command add_stat(App& program) {
  auto options = std::make_shared<StatOptions>();
  App* app = program.add_subcommand("stat", "what every layer costs");
  app->below_options(manual::name_lists);
  options->model.add_to(*app);
  app->get_option("model")->description(
      "an ONNX or .pt2 file, a recording of strata's Python package, weights alone (.safetensors, "
      ".pth, .gguf), a folder of Hugging Face's, zoo:NAME, or - for standard input");
  app->add({{"more", &options->more}});
  add_rows(*app, *options);
  app->add({{"--energy", &options->profile.energy_model},
            {"--arena", &options->profile.arena},
            {"--device-memory", &options->profile.device_memory}});
  options->table.add_to(*app);
  options->table.add_exact(*app);
  options->table.add_choice(*app);
  app->add({{"--save", &options->save}});
  options->time.add_to(*app, options->model);
  app->add({{"--measured", &options->measured}, {"--strict", &options->strict}});
  app->exclude({"--measured"}, "--time", "both say how long layers take");
  app->exclude({"--measured"}, "--memory", "both say what layers take");
  app->need_that(
      {"--report", "--layout", "--fuse", "--all", "--save", "--measured", "--strict"},
      [options = options.get()] { return !options->has_several(); },
      "several models have one row each; name one model");
  return {app, [options, app] { return run(*options, *app); }};
}

}  // namespace strata::cli
