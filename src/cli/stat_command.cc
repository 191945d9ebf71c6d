#include <filesystem>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/engine_process.h"
#include "cli/interrupt.h"
#include "cli/time_options.h"
#include "strata/cost/convention.h"
#include "strata/cost/energy.h"
#include "strata/measure/roofline.h"
#include "strata/report/report.h"

namespace strata::cli {

namespace {

struct StatOptions {
  ModelOptions model;
  TimeOptions time;
  ProfileOptions profile;
  std::string report = "tape";
  std::string format = "table";
  std::string output;
  std::string save;
  std::size_t width = 0;
  bool exact = false;
  bool strict = false;
  CLI::Option* width_option = nullptr;
};

constexpr const char* kFooter =
    "Examples:\n"
    "  strata stat mobilenet_v2.onnx\n"
    "  strata stat mobilenet_v2.onnx --report tree --depth 2 --sort macs\n"
    "  strata stat decoder.onnx --dim batch=1 --dim sequence=128 --columns +energy,-flops\n"
    "  strata stat resnet50.onnx --count fvcore --format json -o resnet50.json";

TableStyle table_style(const StatOptions& options) {
  TableStyle style;
  style.width = options.width_option->count() > 0 ? options.width : terminal_width();
  style.exact = options.exact || !options.profile.layout.empty();
  style.color = options.output.empty() && wants_color();
  return style;
}

Status save_all(const Profile& shown, const Profile& full, const StatOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(options.save, error);
  if (error)
    return failure(fmt::format("cannot make the folder {}: {}", options.save, error.message()));
  TableStyle style;
  style.width = 0;
  style.exact = options.exact;
  const std::filesystem::path folder(options.save);
  const std::pair<const char*, std::string> files[] = {
      {"profile.txt", to_table(shown, style)},
      {"profile.md", to_markdown(shown, style)},
      {"profile.csv", to_csv(full)},
      {"profile.json", profile_to_json(full)},
  };
  for (const auto& [file, text] : files)
    if (auto status = write_output((folder / file).string(), text); !status) return status;
  return {};
}

Result<int> run_stat(StatOptions& options, const CLI::App& app) {
  const auto report = report_kind_from_name(options.report);
  if (!report)
    return failure(fmt::format("there is no report \"{}\"", options.report), ErrorKind::Usage);
  options.profile.rows.report = *report;
  if (options.time.roofline && !options.time.time)
    return failure("--roofline sets times against the machine: it needs --time", ErrorKind::Usage);
  if (options.time.opens_engine()) {
    auto ended = go_on_in_child(options.time.engine, options.model.path);
    if (!ended) return tl::unexpected(ended.error());
    if (*ended) return **ended;
  }
  auto loaded = load(options.model);
  if (!loaded) return tl::unexpected(loaded.error());
  TimedModel timed;
  std::optional<StopOnInterrupt> stop;  // to the end: one interrupt may be several signals
  if (options.time.opens_engine()) {
    stop.emplace();
    auto measured = time_loaded(*loaded, options.model, options.time);
    if (!measured) return tl::unexpected(measured.error());
    timed = std::move(*measured);
    if (timed.plan) options.profile.plan = &*timed.plan;
    if (timed.interrupted && !timed.timing) {
      fmt::print(stderr, "strata: interrupted before anything was measured\n");
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
    roofline = cached_roofline(options.time.threads);
    options.profile.roofline = &roofline;
    if (!roofline.note.empty()) loaded->model.notes.push_back(roofline.note);
  }

  const bool machine = options.format == "csv" || options.format == "json";
  options.profile.all_columns = machine;
  auto profile = make_profile(loaded->model, loaded->inference, options.profile);
  if (!profile) return tl::unexpected(profile.error());
  profile->options = given_options(app);

  std::string text;
  if (options.format == "csv")
    text = to_csv(*profile);
  else if (options.format == "json")
    text = profile_to_json(*profile);
  else if (options.format == "md")
    text = to_markdown(*profile, table_style(options));
  else
    text = to_table(*profile, table_style(options));
  if (auto status = write_output(options.output, text); !status)
    return tl::unexpected(status.error());

  if (!options.save.empty()) {
    options.profile.all_columns = true;
    auto full = make_profile(loaded->model, loaded->inference, options.profile);
    if (!full) return tl::unexpected(full.error());
    full->options = profile->options;
    options.profile.all_columns = false;
    auto shown =
        machine ? make_profile(loaded->model, loaded->inference, options.profile) : profile;
    if (auto status = save_all(*shown, *full, options); !status)
      return tl::unexpected(status.error());
  }
  if (timed.interrupted) {
    fmt::print(stderr, "strata: interrupted: the results are partial\n");
    return kInterrupted;
  }
  if (options.strict && !profile->is_exact()) {
    fmt::print(
        stderr,
        "strata: --strict: not everything could be counted; see the lines below the table\n");
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

Command add_stat(CLI::App& program) {
  auto options = std::make_shared<StatOptions>();
  CLI::App* app = program.add_subcommand("stat", "what every layer costs");
  app->footer(name_lists() + "\n" + kFooter);
  options->model.add_to(*app);
  app->add_option("--report", options->report,
                  "rows: tape (each call; the default), node, leaves, tree, root, type, none")
      ->check(CLI::IsMember({"tape", "node", "leaves", "tree", "root", "type", "none"}))
      ->option_text("KIND");
  app->add_option("--depth", options->profile.rows.depth, "levels of the tree")->option_text("N");
  app->add_flag("--fuse", options->profile.rows.fuse, "convolution + norm + activation as one row");
  app->add_flag("--all", options->profile.rows.all, "also rows that cost nothing");
  app->add_option("--columns", options->profile.columns, "a list, or changes: +energy,-flops")
      ->option_text("LIST");
  app->add_option("--layout", options->profile.layout,
                  "another tool's rows, columns and counting: rasp, torchstat; or activations")
      ->option_text("TOOL");
  app->add_option("--sort", options->profile.sort, "order rows by a column; -COLUMN turns it round")
      ->option_text("COLUMN");
  app->add_option("--count", options->profile.convention,
                  "counting convention, or a JSON file of one (strata)")
      ->option_text("NAME");
  app->add_option("--energy", options->profile.energy_model, "energy model (strata)")
      ->option_text("NAME");
  app->add_flag("--arena", options->profile.arena, "plan one block of memory for all activations");
  app->add_option("--device-memory", options->profile.device_memory,
                  "at each layer: pytorch-cuda (an eager run), arena (the plan, and what is alive)")
      ->check(CLI::IsMember({"pytorch-cuda", "arena"}))
      ->option_text("MODEL");
  app->add_option("--format", options->format, "table (the default), csv, json, md")
      ->check(CLI::IsMember({"table", "csv", "json", "md"}))
      ->option_text("FORMAT");
  app->add_option("-o,--output", options->output, "write to a file")->option_text("FILE");
  app->add_option("--save", options->save, "write every format into a folder")->option_text("DIR");
  app->add_flag("--exact", options->exact, "every digit instead of human units");
  options->time.add_to(*app);
  options->width_option =
      app->add_option("--width", options->width, "columns to fit the table into; 0: no limit")
          ->option_text("N");
  app->add_flag("--strict", options->strict, "exit code 3 if anything could not be counted");
  return {app, [options, app] { return run_stat(*options, *app); }};
}

}  // namespace strata::cli
