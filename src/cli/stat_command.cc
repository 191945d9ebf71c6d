#include <algorithm>

#include <fmt/format.h>

#include "cli/advice.h"
#include "cli/complain.h"
#include "cli/job_display.h"
#include "cli/model_options.h"
#include "cli/options.h"
#include "cli/stat_several.h"
#include "cli/stat_weights.h"
#include "cli/table_options.h"
#include "cli/time_options.h"
#include "manual/option_groups.h"
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
  std::string save;
  bool strict = false;

  bool has_several() const { return !more.empty() || names_several(model.path); }
};

// Stays to the end of the process, which takes less time than taking a large model apart.
template <class T>
T& keep_to_the_end(T object) {
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
  if (options.time.opens_engine()) {
    auto time = options.time.request();
    if (!time) return failure(time);
    time->inputs = input_files(options.model.inputs);
    request.time = std::move(*time);
  }
  request.roofline = options.time.roofline;
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
                      {.width = 0, .exact = options.table.exact, .phrase = advised});
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
  std::optional<JobDisplay> display;  // to the end: one interrupt may be several signals
  if (request->time) display.emplace();
  auto& outcome = keep_to_the_end(run_stat(*request, display ? display->observer() : Observer()));
  if (display) display->clear();
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
  const Option* layout =
      app.add_option("--layout TOOL", options.profile.layout,
                     "rows, columns and counting of another tool: rasp, torchstat; or activations");
  const std::string by_layout = "--layout chooses rows, columns and counting";
  const std::vector<std::string> kinds = {"calls", "tape", "node", "leaves",
                                          "tree",  "root", "type", "none"};
  app.add_option(
         "--report KIND", options.report,
         "rows: calls (the default, also called tape), node, leaves, tree, root, type, none")
      ->one_of(kinds)
      ->excludes(layout, by_layout);
  app.add_option("--depth N", rows.depth, "levels of the tree")
      ->needs(is({"tree"}), "only a tree has levels; add --report tree");
  app.add_flag("--fuse", rows.fuse, "convolution + norm + activation as one row")
      ->excludes(layout, by_layout)
      ->needs(is({"calls", "leaves", "type"}),
              "it joins rows of layers; take --report calls, leaves or type");
  app.add_flag("--all", rows.all, "also rows that cost nothing")
      ->excludes(layout, by_layout)
      ->needs(is({"calls", "node", "leaves", "type"}),
              "this report leaves no rows out; take --report calls, node, leaves or type");
  app.add_option("--columns LIST", options.profile.columns,
                 "list of columns, or changes: +energy,-flops")
      ->excludes(layout, by_layout);
  app.add_option("--sort COLUMN", options.profile.sort,
                 "order rows by a column; -COLUMN turns it round")
      ->needs([&options] { return options.report != "none" && options.report != "root"; },
              "there is one row at most; take another --report");
  app.add_option("--count NAME", options.profile.convention,
                 "counting convention, or a JSON file of one (default strata)")
      ->excludes(layout, by_layout);
  app.add_flag("--load-work", options.profile.load_work,
               "add work on constants, which is done once when the model is loaded");
}

}  // namespace

Command add_stat(App& program) {
  auto options = std::make_shared<StatOptions>();
  App* app = program.add_subcommand("stat", "what every layer costs");
  app->below_options(manual::name_lists);
  options->model.add_to(*app);
  app->add_option("more MODELS", options->more,
                  "more models, folders or quoted patterns: the totals of all side by side");
  add_rows(*app, *options);
  app->add_option("--energy NAME", options->profile.energy_model, "energy model (default strata)");
  app->add_flag("--arena", options->profile.arena, "plan one block of memory for all activations");
  app->add_option("--device-memory MODEL", options->profile.device_memory,
                  "memory at each layer: pytorch-cuda (of an eager run), arena (of the plan)")
      ->one_of({"pytorch-cuda", "arena"});
  options->table.add_to(*app);
  options->table.add_exact(*app);
  options->table.add_choice(*app);
  Option* save = app->add_option("--save DIR", options->save, "write every format into a folder");
  options->time.add_to(*app, options->model);
  Option* strict =
      app->add_flag("--strict", options->strict, "exit code 3 if anything could not be counted");
  all_need(
      {app->get_option("--report"), app->get_option("--layout"), app->get_option("--fuse"),
       app->get_option("--all"), save, strict},
      [options = options.get()] { return !options->has_several(); },
      "several models have one row each; name one model");
  return {app, [options, app] { return run(*options, *app); }};
}

}  // namespace strata::cli
