#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "cli/advice.h"
#include "cli/complain.h"
#include "cli/engine_process.h"
#include "cli/job_display.h"
#include "cli/model_options.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/table_options.h"
#include "cli/time_options.h"
#include "strata/cost/convention.h"
#include "strata/cost/energy.h"
#include "strata/machine/roofline.h"
#include "strata/profile/analysis.h"
#include "strata/profile/columns.h"
#include "strata/report/report.h"

namespace strata::cli {

namespace {

struct StatOptions {
  ModelOptions model;
  TimeOptions time;
  ProfileOptions profile;
  TableOptions table;
  std::string report = "calls";
  std::string save;
  bool strict = false;
};

constexpr const char* kFooter =
    "Examples:\n"
    "  strata stat mobilenet_v2.onnx\n"
    "  strata stat mobilenet_v2.onnx --report tree --depth 2 --sort macs\n"
    "  strata stat decoder.onnx --dim batch=1 --dim sequence=128 --columns +energy,-flops\n"
    "  strata stat resnet50.onnx --count fvcore --format json -o resnet50.json";

TableStyle table_style(const StatOptions& options) {
  TableStyle style = options.table.style();
  style.exact = style.exact || !options.profile.layout.empty();
  return style;
}

Status save_all(const Profile& shown, const Profile& full, const StatOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(options.save, error);
  if (error)
    return failure(fmt::format("cannot make the folder {}: {}", options.save, error.message()));
  TableStyle style;
  style.phrase = advised;
  style.width = 0;
  style.exact = options.table.exact;
  const std::filesystem::path folder(options.save);
  for (const Renderer& renderer : renderers()) {
    const bool json = renderer.name == "json";
    const std::string ending(renderer.endings.substr(0, renderer.endings.find(' ')));
    auto output = Output::open((folder / ("profile" + ending)).string(),
                               json ? FileKind{FileForm::Json, "profile"} : FileKind{});
    if (!output) return failure(output);
    const Document document = renderer.for_people ? to_document(shown) : to_document(full);
    if (auto status = renderer.write(document, style, *output); !status) return status;
    if (auto status = output->finish(); !status) return status;
  }
  return {};
}

// Stays to the end of the process, which takes less time than taking a large model apart.
template <class T>
T& keep_to_the_end(T object) {
  static T* kept = nullptr;  // so that checks for leaks see that someone has it
  return *(kept = new T(std::move(object)));
}

Result<int> run_stat(StatOptions& options, const App& app) {
  const auto report = report_kind_from_name(options.report);
  if (!report)
    return failure(fmt::format("there is no report \"{}\"", options.report), ErrorKind::Usage);
  options.profile.rows.report = *report;
  options.table.most_bytes = most_output_bytes(options.model.path);
  if (auto status = options.table.check("profile"); !status) return failure(status);
  if (options.time.opens_engine()) {
    auto ended = go_on_in_child(options.time.engine.name(), options.model.path);
    if (!ended) return failure(ended);
    if (*ended) return **ended;
  }
  const auto request = options.model.request();
  if (!request) return failure(request);
  auto& loaded = keep_to_the_end(load_model(*request));
  if (!loaded) return failure(loaded);
  TimedModel timed;
  std::optional<JobDisplay> display;  // to the end: one interrupt may be several signals
  if (options.time.opens_engine()) {
    auto timing = options.time.request();
    if (!timing) return failure(timing);
    timing->inputs = input_files(options.model.inputs);
    display.emplace();
    auto measured = run_timing(*loaded, *request, *timing, display->observer());
    display->clear();
    if (!measured) return failure(measured);
    timed = std::move(*measured);
    if (timed.plan) options.profile.plan = &*timed.plan;
    if (timed.interrupted && !timed.timing) {
      complain("interrupted before anything was measured");
      return kInterrupted;
    }
    if (timed.timing) options.profile.timing = &*timed.timing;
    if (timed.memory) options.profile.memory = &*timed.memory;
    options.profile.timing_facts = timed.facts;
    options.profile.machine = timed.machine;
    options.profile.interrupted = timed.interrupted;
  }

  Roofline roofline;
  if (options.time.roofline && !timed.interrupted) {
    roofline = cached_roofline(timed.facts.threads);
    options.profile.roofline = &roofline;
    if (!roofline.note.empty()) loaded->model.notes.push_back(roofline.note);
  }

  options.profile.limit = options.model.limit;
  const bool machine = options.table.has_all();
  options.profile.all_columns = machine || !options.save.empty();
  options.profile.in_depth = options.table.format() == "html";
  options.profile.needs = needs_of(options.profile);
  if (options.profile.all_columns) options.profile.needs |= Need::Hash;
  const auto& analysis =
      keep_to_the_end(analyse_for(loaded->model, loaded->inference, options.profile));
  if (!analysis) return failure(analysis);
  const auto given = given_options(app);
  const auto table = [&](bool all_columns) -> Result<Profile> {
    options.profile.all_columns = all_columns;
    auto made = make_profile(*analysis, options.profile);
    if (made) made->options = given;
    return made;
  };
  auto profile = table(machine);
  if (!profile) return failure(profile);
  const bool exact = profile->is_exact();

  // A large table is not copied unless it is written once more.
  Document document =
      options.save.empty() ? to_document(std::move(*profile)) : to_document(*profile);
  if (auto status = options.table.write(std::move(document), table_style(options)); !status)
    return failure(status);

  if (!options.save.empty()) {
    const auto other = table(!machine);
    if (!other) return failure(other);
    if (auto status = save_all(machine ? *other : *profile, machine ? *profile : *other, options);
        !status)
      return failure(status);
  }
  if (timed.interrupted) {
    complain("interrupted: the results are partial");
    return kInterrupted;
  }
  if (options.strict && !exact) {
    complain("--strict: not everything could be counted; see the lines below the table");
    return kBudget;
  }
  return kFine;
}

// Names that options take, below the examples.
std::string name_lists() {
  const auto list = [](std::string_view what, const std::vector<std::string>& names) {
    std::string out(what), line;
    for (const std::string& name : names) {
      if (line.size() + name.size() > 76) out += "\n  " + std::exchange(line, "");
      line += (line.empty() ? "" : " ") + name;
    }
    return out + "\n  " + line + "\n";
  };
  return list("Columns (NAME% is a share of the total):", column_names()) +
         list("Counting conventions:", convention_names()) +
         list("Energy models:", energy_model_names());
}

}  // namespace

namespace {

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
  app->footer(kFooter);
  app->above_footer(name_lists);
  options->model.add_to(*app);
  add_rows(*app, *options);
  app->add_option("--energy NAME", options->profile.energy_model, "energy model (default strata)");
  app->add_flag("--arena", options->profile.arena, "plan one block of memory for all activations");
  app->add_option("--device-memory MODEL", options->profile.device_memory,
                  "memory at each layer: pytorch-cuda (of an eager run), arena (of the plan)")
      ->one_of({"pytorch-cuda", "arena"});
  options->table.add_to(*app);
  options->table.add_exact(*app);
  options->table.add_choice(*app);
  app->add_option("--save DIR", options->save, "write every format into a folder");
  options->time.add_to(*app, options->model);
  app->add_flag("--strict", options->strict, "exit code 3 if anything could not be counted");
  return {app, [options, app] { return run_stat(*options, *app); }};
}

}  // namespace strata::cli
