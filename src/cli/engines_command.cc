// What can run models here. Each engine is tried in a process of its own: one that crashes
// or hangs is a row that says so.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/subprocess.h"
#include "strata/engine/engine.h"

namespace strata::cli {

namespace {

using Json = nlohmann::ordered_json;

struct EnginesOptions {
  std::string name;
  std::string engine_path;
  std::string format = "table";
  double timeout = 60;  // seconds, for an engine
  bool here = false;    // in this process
};

// A precision on a device, tried out: `works`, and the reason if it does not.
Json try_precision(const Engine& engine, const Engine::Device& device, const char* precision) {
  const std::string prefix = fmt::format("{} {}: ", engine.name(), engine.release());
  const Status status = engine.probe(device.name, precision);
  std::string failure = status ? "" : status.error().message;
  if (failure.starts_with(prefix)) failure.erase(0, prefix.size());
  return {{"works", failure.empty()}, {"reason", failure}};
}

Json try_engine(const Engine& engine) {
  Json out = {{"name", engine.name()},       {"release", engine.release()},
              {"plugin", engine.plugin()},   {"library", engine.library()},
              {"formats", engine.formats()}, {"devices", Json::array()}};
  for (const Engine::Device& device : engine.devices()) {
    Json one = {{"name", device.name}, {"note", device.note}};
    for (const char* precision : {"fp32", "fp16", "bf16", "int8"})
      one["precisions"][precision] = try_precision(engine, device, precision);
    out["devices"].push_back(std::move(one));
  }
  return out;
}

// What the child found, or why there is nothing: an error where it is not there, a fact
// `failed` where it did not survive.
Result<Json> try_in_child(const std::string& name, const EnginesOptions& options) {
  std::vector<std::string> words = {own_program(), "engines", name, "--here"};
  if (!options.engine_path.empty())
    words.insert(words.end(), {"--engine-path", options.engine_path});
  const auto finished = run_program(words, {.seconds = options.timeout});
  if (!finished) return tl::unexpected(finished.error());
  if (finished->exit_code == kFailed || finished->exit_code == kUsage) {
    std::string message = finished->errors;
    if (message.starts_with("strata: ")) message.erase(0, 8);
    while (message.ends_with('\n')) message.pop_back();
    return failure(message, finished->exit_code == kUsage ? ErrorKind::Usage : ErrorKind::Model);
  }
  if (auto found = Json::parse(finished->output, nullptr, false); found.is_object()) return found;
  const std::string words_of_it = last_words(finished->errors);
  const std::string what =
      finished->timed_out ? fmt::format("did not answer within {:g} s (--timeout)", options.timeout)
      : finished->signal != 0 ? what_ended_it(finished->signal)
                              : fmt::format("left with exit code {}", finished->exit_code);
  return Json{{"name", name},
              {"failed", fmt::format("{} when it was tried{}", what,
                                     words_of_it.empty() ? "" : ": " + words_of_it)}};
}

std::string describe(const Json& engine) {
  const auto text = [](const Json& at, const char* key) { return at.at(key).get<std::string>(); };
  const std::string name = text(engine, "name");
  if (engine.contains("missing")) return text(engine, "missing") + "\n";
  if (engine.contains("failed")) return fmt::format("{} {}\n", name, text(engine, "failed"));
  std::string out =
      fmt::format("{} {}\n  plugin   {}\n", name, text(engine, "release"), text(engine, "plugin"));
  if (!text(engine, "library").empty())
    out += fmt::format("  library  {}\n", text(engine, "library"));
  out += fmt::format("  opens    {}\n", text(engine, "formats"));
  for (const Json& device : engine.at("devices")) {
    std::vector<std::string> works;
    std::string rest;
    for (const auto& [precision, tried] : device.at("precisions").items()) {
      if (tried.at("works").get<bool>())
        works.push_back(precision);
      else
        rest += fmt::format("           no {}: {}\n", precision, text(tried, "reason"));
    }
    const std::string note = text(device, "note");
    out += fmt::format("  {:<8} {}{}{}\n{}", text(device, "name"), note, note.empty() ? "" : ": ",
                       fmt::join(works, ", "), rest);
  }
  return out;
}

Result<int> run_engines(const EnginesOptions& options) {
  if (options.here) {
    const auto engine = load_engine(options.name, options.engine_path);
    if (!engine) return tl::unexpected(engine.error());
    if (auto status = write_output("", try_engine(*engine).dump() + "\n"); !status)
      return tl::unexpected(status.error());
    return kFine;
  }
  std::vector<std::string> names = engine_names(options.engine_path);
  if (!options.name.empty())
    names = {options.name};
  else if (std::find(names.begin(), names.end(), "onnxruntime") == names.end())
    names.emplace_back("onnxruntime");
  std::string text;
  Json all = Json::array();
  for (const std::string& name : names) {
    auto engine = try_in_child(name, options);
    if (!engine && !options.name.empty()) return tl::unexpected(engine.error());
    if (engine && engine->contains("failed") && !options.name.empty())
      return failure(fmt::format("{} {}", name, engine->at("failed").get<std::string>()));
    all.push_back(engine ? std::move(*engine)
                         : Json{{"name", name}, {"missing", engine.error().message}});
    text += (text.empty() ? "" : "\n") + describe(all.back());
  }
  if (options.format == "json") text = all.dump(2) + "\n";
  if (auto status = write_output("", text); !status) return tl::unexpected(status.error());
  return kFine;
}

}  // namespace

Command add_engines(CLI::App& program) {
  auto options = std::make_shared<EnginesOptions>();
  CLI::App* app = program.add_subcommand("engines", "what can run models here, tried out");
  app->footer(
      "Examples:\n"
      "  strata engines\n"
      "  strata engines onnxruntime --format json\n"
      "\n"
      "Engines are looked for in --engine-path, in STRATA_ENGINE_PATH, beside the program and\n"
      "where strata is installed; ONNX Runtime itself where STRATA_ONNXRUNTIME says.");
  app->add_option("name", options->name, "one engine")->option_text("NAME");
  app->add_option("--engine-path", options->engine_path, "folders of plugins, with colons between")
      ->option_text("FOLDERS");
  app->add_option("--format", options->format, "table, json")
      ->check(CLI::IsMember({"table", "json"}));
  app->add_option("--timeout", options->timeout, "seconds to try an engine for (60)")
      ->check(CLI::Range(0.1, 86400.0))
      ->option_text("S");
  app->add_flag("--here", options->here)->group("");  // for try_in_child
  return {app, [options] { return run_engines(*options); }};
}

}  // namespace strata::cli
