#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "cli/device_options.h"
#include "cli/job_display.h"
#include "cli/model_options.h"
#include "cli/outlet.h"
#include "cli/output.h"
#include "cli/table_options.h"
#include "cli/time_options.h"
#include "manual/advice.h"
#include "manual/option_groups.h"
#include "options/options.h"
#include "read/standard_input.h"
#include "report/formats.h"
#include "strata/report/report.h"
#include "strata/task/stat.h"
#include "strata/task/totals.h"
#include "strata/task/weights.h"
#include "task/language_model.h"

namespace strata::cli {

namespace {

struct StatOptions {
  ModelOptions model;
  std::vector<std::string> more;  // models
  TimeOptions time;
  ProfileOptions profile;
  TableOptions table;
  std::string report = "calls";
  std::string save, on;
  std::vector<std::string> measured;
  DeviceFiles devices;
  bool strict = false, tflm = false;

  bool has_several() const { return !more.empty() || model.is(SourceKind::Several); }
  ReportKind report_kind() const { return *report_kind_from_name(report); }  // there is no other
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

// --on names a microcontroller whose memory is planned, or the device that --roofline is about.
Status read_on(const StatOptions& options, StatRequest& request) {
  if (auto status = read_device(options.on, options.devices, request.device); !status)
    return status;
  if (!request.device) return {};
  if (request.device->kind == "mcu") request.on = request.device;
  if (!request.on && !request.roofline)
    return failure(
        Code::OptionEffect, {.name = "--on"},
        fmt::format("--on {}: add --roofline for what bounds each row there; stat plans memory for "
                    "microcontrollers, and `strata predict {} --on {}` predicts time and memory",
                    options.on, options.model.path, options.on));
  if (!request.roofline) request.device.reset();
  return {};
}

Result<StatRequest> read_request(StatOptions& options, const App& app) {
  if (auto status = options.table.check("profile"); !status) return failure(status);
  StatRequest request{{}, options.profile};
  if (auto status = options.model.read_into(request.model); !status) return failure(status);
  request.profile.rows.report = options.report_kind();
  request.profile.in_depth = options.table.in_depth() || !options.save.empty();
  if (auto status = options.time.read_into(request.time); !status) return failure(status);
  if (request.time) request.time->inputs = request.model.input_files;
  request.model.engine_path = options.time.engine.path;
  request.roofline = options.time.roofline;
  if (options.measured.size() > 2)
    return failure(Code::OptionValue, {.name = "--measured"},
                   "--measured takes one file, or trtexec's profile and its export of layers");
  if (!options.measured.empty()) request.measured = options.measured[0];
  if (options.measured.size() == 2) request.measured_layers = options.measured[1];
  request.tflm = options.tflm;
  if (auto status = read_on(options, request); !status) return failure(status);
  const bool saves = !options.save.empty();
  request.profile.row_by_row = !saves;  // the outcome stays to the end
  request.profile.most_rows = saves ? 0 : options.table.most_rows();
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
  const bool partial = outcome.interrupted;
  if (auto status = partial ? options.table.write_partial(std::move(document), style)
                            : options.table.write(std::move(document), style);
      !status)
    return status;
  if (options.save.empty()) return {};
  return save_profile(*outcome.shown, *outcome.full,
                      partial ? partial_path(options.save) : options.save,
                      {.width = 0, .exact = options.table.exact, .phrase = manual::advised});
}

// The totals of several models side by side; what the request says of rows has no effect.
Result<int> stat_several(const StatOptions& options, const StatRequest& request,
                         TableOptions& table) {
  std::vector<std::string> words = options.more;
  words.insert(words.begin(), options.model.path);
  auto sources = options.model.sources.all(words);
  if (!sources) return failure(sources);
  auto models = models_at(*sources);
  if (!models) return failure(models);
  const bool runs = request.time || std::any_of(models->begin(), models->end(),
                                                [](const Source& one) { return one.is_code(); });
  JobDisplay display(runs);
  auto outcome = display.run(run_totals, TotalsRequest{std::move(*models), request});
  for (compare::ModelTotals& one : outcome.models) {
    one.file = with_standard_input_named(std::move(one.file));
    one.problem = with_standard_input_named(std::move(one.problem));
  }
  table.limit_to(outcome.bytes, request.model.limit);
  Document document = compare::totals_document(outcome.models, request.profile.convention);
  // A choice that the program itself makes from a table of layers is made from this one.
  if (Status status =
          choose(document, {.columns = request.profile.columns, .sort = request.profile.sort});
      !status)
    return failure(status);
  if (outcome.interrupted) return table.print_partial(std::move(document));
  if (Status status = table.write(std::move(document)); !status) return failure(status);
  return outcome.has_failed() ? kFailed : kFine;
}

// Options that mean the same for any table; the other options of `stat` need a graph.
constexpr std::string_view kGraphFreeOptions[] = {
    "model",    "--report", "--depth",      "--columns", "--sort",  "--top",
    "--filter", "--format", "--output",     "--exact",   "--width", "--color",
    "--limit",  "--chart",  "--with-paths", "--notes"};

Status check_options(const App& app, const std::string& path) {
  for (const auto& [name, value] : given_options(app))
    if (std::find(std::begin(kGraphFreeOptions), std::end(kGraphFreeOptions), name) ==
        std::end(kGraphFreeOptions))
      return failure(Code::OptionEffect, {.file = path, .name = name},
                     fmt::format("{} has weights and no graph, and {} needs one", path, name));
  return {};
}

// A file of weights has no graph: it is another job, with the options of any table.
Result<int> stat_weights(StatOptions& options, const Source& source, const App& app) {
  if (Status status = check_options(app, source.word()); !status) return failure(status);
  TableOptions& table = options.table;
  if (Status status = table.check("weights"); !status) return failure(status);
  const ProfileOptions& view = options.profile;
  const double limit = options.model.limit;
  auto outcome = run_weights({source, {options.report_kind(), view.rows.depth}, limit});
  if (!outcome) return failure(outcome);
  table.limit_to(outcome->weights.file_bytes, limit);
  // These options are those of layers, and mean the same here.
  if (Status status = choose(outcome->document, {.columns = view.columns, .sort = view.sort});
      !status)
    return failure(status);
  return table.print(std::move(outcome->document));
}

Result<int> run(StatOptions& options, const App& app) {
  if (!options.has_several()) {
    const auto source = options.model.source();
    if (!source) return failure(source);
    if (source->is_weights() && !is_language_model({.source = *source}))
      return stat_weights(options, *source, app);
  }
  const auto request = read_request(options, app);
  if (!request) return failure(request);
  if (options.has_several()) return stat_several(options, *request, options.table);
  const bool runs = request->time || request->model.source.is_code();
  JobDisplay display(runs);  // to the end: an interrupt may be several signals
  auto& outcome = keep_to_the_end(display.run(run_stat, *request));
  if (!outcome) return failure(outcome);
  if (!outcome->loaded) return interrupted("interrupted before the model had run to its end");
  if (!outcome->analysis) return interrupted("interrupted before anything was measured");
  const bool exact = (options.table.has_all() ? outcome->full : outcome->shown)->is_exact();
  if (auto status = print(*outcome, options); !status) return failure(status);
  if (outcome->interrupted) {
    const std::string& file = options.table.output.empty() ? options.save : options.table.output;
    return is_standard_output(file) ? interrupted() : interrupted(partial_sentence(file));
  }
  if (options.strict && !exact) {
    complain("--strict: not everything could be counted; see the lines below the table");
    return kBudget;
  }
  return kFine;
}

// Adds the options for the choice and order of rows.
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
           {"--load-work", &options.profile.load_work},
           {"--as-stored", &options.profile.as_stored}});
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
  App* app = program.add_subcommand("stat", "count the cost of every layer");
  app->below_options(manual::name_lists);
  options->model.add_to(*app);
  app->get_option("model")->description(model_words(true));
  app->add({{"more", &options->more}});
  add_rows(*app, *options);
  app->add({{"--energy", &options->profile.energy_model},
            {"--arena", &options->profile.arena},
            {"--tflm", &options->tflm},
            {"--on", &options->on},
            {"--device-file", &options->devices.paths},
            {"--device-memory", &options->profile.device_memory}});
  options->table.add_to(*app, Exact::Digits);
  app->add({{"--save", &options->save}});
  options->time.add_to(*app, options->model);
  options->model.add_wait_to(*app, [options = options.get()] {
    return options->time.opens_engine() || options->model.may_be_run() ||
           std::any_of(options->more.begin(), options->more.end(), [&](const std::string& one) {
             return options->model.sources.may_be_run(one);
           });
  });
  app->add({{"--measured", &options->measured}, {"--strict", &options->strict}});
  app->exclude({"--measured"}, "--time", "both say how long layers take");
  app->exclude({"--measured"}, "--memory", "both say what layers take");
  app->need_that(
      {"--report", "--layout", "--fuse", "--all", "--save", "--measured", "--strict", "--tflm",
       "--on"},
      [options = options.get()] { return !options->has_several(); },
      "several models have one row each; name one model");
  return {app, [options, app] { return run(*options, *app); }};
}

}  // namespace strata::cli
