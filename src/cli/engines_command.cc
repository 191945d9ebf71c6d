#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "strata/engine/engine.h"

namespace strata::cli {

namespace {

struct EnginesOptions {
  std::string name;
  std::string engine_path;
  std::string format = "table";
};

// A precision on a device, tried out.
struct Tried {
  std::string precision;
  std::string failure;  // empty: it works
};

std::vector<Tried> try_precisions(const Engine& engine, const Engine::Device& device) {
  std::vector<Tried> all;
  const std::string prefix = fmt::format("{} {}: ", engine.name(), engine.release());
  for (const char* precision : {"fp32", "fp16", "bf16", "int8"}) {
    const Status status = engine.probe(device.name, precision);
    std::string failure = status ? "" : status.error().message;
    if (failure.starts_with(prefix)) failure.erase(0, prefix.size());
    all.push_back({precision, failure});
  }
  return all;
}

std::string describe(const Engine& engine) {
  std::string out =
      fmt::format("{} {}\n  plugin   {}\n", engine.name(), engine.release(), engine.plugin());
  if (!engine.library().empty()) out += fmt::format("  library  {}\n", engine.library());
  out += fmt::format("  opens    {}\n", engine.formats());
  for (const Engine::Device& device : engine.devices()) {
    std::vector<std::string> works;
    std::string rest;
    for (const Tried& tried : try_precisions(engine, device)) {
      if (tried.failure.empty())
        works.push_back(tried.precision);
      else
        rest += fmt::format("           no {}: {}\n", tried.precision, tried.failure);
    }
    out += fmt::format("  {:<8} {}{}{}\n{}", device.name, device.note,
                       device.note.empty() ? "" : ": ", fmt::join(works, ", "), rest);
  }
  return out;
}

nlohmann::ordered_json to_json(const Engine& engine) {
  nlohmann::ordered_json out = {
      {"name", engine.name()},       {"release", engine.release()},
      {"plugin", engine.plugin()},   {"library", engine.library()},
      {"formats", engine.formats()}, {"devices", nlohmann::ordered_json::array()}};
  for (const Engine::Device& device : engine.devices()) {
    nlohmann::ordered_json one = {{"name", device.name}, {"note", device.note}};
    for (const Tried& tried : try_precisions(engine, device))
      one["precisions"][tried.precision] = {{"works", tried.failure.empty()},
                                            {"reason", tried.failure}};
    out["devices"].push_back(std::move(one));
  }
  return out;
}

Result<int> run_engines(const EnginesOptions& options) {
  std::vector<std::string> names = engine_names(options.engine_path);
  if (!options.name.empty())
    names = {options.name};
  else if (std::find(names.begin(), names.end(), "onnxruntime") == names.end())
    names.emplace_back("onnxruntime");
  std::string text;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const std::string& name : names) {
    const auto engine = load_engine(name, options.engine_path);
    if (!engine && !options.name.empty()) return tl::unexpected(engine.error());
    text += text.empty() ? "" : "\n";
    text += engine ? describe(*engine) : engine.error().message + "\n";
    json.push_back(
        engine ? to_json(*engine)
               : nlohmann::ordered_json{{"name", name}, {"missing", engine.error().message}});
  }
  if (options.format == "json") text = json.dump(2) + "\n";
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
  return {app, [options] { return run_engines(*options); }};
}

}  // namespace strata::cli
