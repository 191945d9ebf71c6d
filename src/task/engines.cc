#include "strata/task/engines.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "strata/engine/engine.h"
#include "task/subprocess.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

// Errors go from one process to the other with their codes, for the caller to ask.
Json error_to_json(const Error& error) {
  const ErrorFields& about = error.fields();
  return {error.message,
          static_cast<int>(error.kind),
          static_cast<int>(error.code),
          about.name,
          about.given,
          about.found,
          about.wanted,
          about.detail};
}

Error error_from_json(const Json& json) {
  const auto text = [&](std::size_t i) { return json[i].get<std::string>(); };
  Error out = make_error(
      static_cast<Code>(json[2].get<int>()),
      {.name = text(3), .given = text(4), .found = text(5), .wanted = text(6), .detail = text(7)},
      text(0));
  out.kind = static_cast<ErrorKind>(json[1].get<int>());
  return out;
}

// Why a precision does not work on a device; empty if it does.
std::string problem_of(const Engine& engine, const std::string& device, const char* precision,
                       const Observer& observer) {
  const Status status = engine.probe(device, precision);
  if (status) return "";
  const std::string prefix = fmt::format("{} {}: ", engine.name(), engine.release());
  std::string why = observer.phrased(status.error());
  if (why.starts_with(prefix)) why.erase(0, prefix.size());
  return why;
}

// The child's side: what it found, as the parent reads it.
std::string tried_here(const std::string& name, const std::string& path, const Observer& observer) {
  const auto engine = load_engine(name, path);
  if (!engine) return json_text(Json{{"error", error_to_json(engine.error())}}, -1);
  Json out = {{"name", engine->name()},       {"release", engine->release()},
              {"plugin", engine->plugin()},   {"library", engine->library()},
              {"formats", engine->formats()}, {"devices", Json::array()}};
  for (const Engine::Device& device : engine->devices()) {
    Json precisions = Json::array();
    for (const char* precision : {"fp32", "fp16", "bf16", "int8"})
      precisions.push_back({precision, problem_of(*engine, device.name, precision, observer)});
    out["devices"].push_back({device.name, device.note, std::move(precisions)});
  }
  return json_text(out, -1);
}

TriedEngine from_json(const Json& json) {
  const auto text = [](const Json& at) { return at.get<std::string>(); };
  TriedEngine out{.name = text(json.at("name"))};
  out.release = text(json.at("release"));
  out.plugin = text(json.at("plugin"));
  out.library = text(json.at("library"));
  out.formats = text(json.at("formats"));
  for (const Json& device : json.at("devices")) {
    TriedDevice& one = out.devices.emplace_back(TriedDevice{text(device[0]), text(device[1])});
    for (const Json& precision : device[2])
      one.precisions.push_back({text(precision[0]), text(precision[1])});
  }
  return out;
}

Result<TriedEngine> tried_in_child(const std::string& name, const EnginesRequest& request,
                                   const Observer& observer) {
  const auto finished = run_forked([&] { return tried_here(name, request.path, observer); },
                                   {.stop = observer.stop, .seconds = request.seconds});
  if (!finished) return failure(finished);
  if (const Json found = json_from_text(finished->output); found.is_object()) {
    if (!found.contains("error")) return from_json(found);
    return tl::unexpected(error_from_json(found["error"]));
  }
  const std::string words = last_words(finished->errors);
  if (finished->timed_out)
    return TriedEngine{
        .name = name,
        .failed = fmt::format("did not answer within {:g} s when it was tried", request.seconds),
        .timed_out = true};
  std::string what = finished->signal != 0
                         ? what_ended_it(finished->signal)
                         : fmt::format("left with exit code {}", finished->exit_code);
  what += " when it was tried";
  if (!words.empty()) what += ": " + words;
  return TriedEngine{.name = name, .failed = std::move(what)};
}

}  // namespace

Result<std::vector<TriedEngine>> run_engines(const EnginesRequest& request,
                                             const Observer& observer) {
  std::vector<std::string> names = engine_names(request.path);
  if (!request.name.empty())
    names = {request.name};
  else if (std::find(names.begin(), names.end(), "onnxruntime") == names.end())
    names.emplace_back("onnxruntime");
  std::vector<TriedEngine> all;
  for (const std::string& name : names) {
    if (observer.stopped()) break;
    observer.show(name, static_cast<std::int64_t>(all.size()),
                  static_cast<std::int64_t>(names.size()));
    auto engine = tried_in_child(name, request, observer);
    if (!engine && !request.name.empty()) return failure(engine);
    if (engine && !engine->failed.empty() && !request.name.empty())
      return failure(fmt::format("{} {}", name, engine->failed));
    all.push_back(engine ? std::move(*engine)
                         : TriedEngine{.name = name, .missing = observer.phrased(engine.error())});
  }
  return all;
}

}  // namespace strata
