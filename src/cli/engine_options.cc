#include "cli/engine_options.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "cli/options.h"
#include "strata/bench/variant.h"
#include "strata/machine/machine.h"

namespace strata::cli {

std::vector<Option*> EngineOptions::add_to(App& app) {
  return {
      app.add_option("--engine NAME[:KEY=VALUE,…]", engine,
                     "engine that runs the model, with its options (default onnxruntime)"),
      app.add_option("--engine-path DIR:DIR", path, "folders to look for engines in"),
      app.add_option("--device NAME", device, "device to run on: cpu, cuda:0"),
      app.add_option("--provider NAME", provider,
                     "the engine's own backend: tensorrt, openvino, …"),
      app.add_option("--threads N", threads,
                     "threads the engine uses (default 1); all: one for each core"),
      app.add_option("--engine-option", own)->replaced_by("--engine NAME:KEY=VALUE"),
  };
}

std::string EngineOptions::name() const { return engine.substr(0, engine.find(':')); }

Result<int> parse_threads(const std::string& text) {
  if (text == "all") return std::max(read_machine().cores, 1);
  constexpr int kMost = 1024;
  int number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || end != text.data() + text.size() || number < 1 || number > kMost)
    return failure(fmt::format("--threads {}: write a number from 1 to {}, or all", text, kMost),
                   ErrorKind::Usage);
  return number;
}

Result<EngineRequest> EngineOptions::request() const {
  auto style = parse_engine_style(engine);
  if (!style) return failure("--engine " + style.error().message, style.error().kind);
  const auto has_value = [](const std::string& option) {
    const std::size_t equals = option.find('=');
    return equals != 0 && equals != option.npos;
  };
  for (const std::string& option : own)
    if (!has_value(option))
      return failure(fmt::format("--engine-option {}: write it as KEY=VALUE", option),
                     ErrorKind::Usage);
  for (const std::string& option : style->options)
    if (!has_value(option))
      return failure(fmt::format("--engine {}: write it as {}:KEY=VALUE", engine, style->engine),
                     ErrorKind::Usage);
  const auto number = parse_threads(threads);
  if (!number) return failure(number);
  EngineRequest out{style->engine, path, device, provider, style->options, *number};
  out.own.insert(out.own.end(), own.begin(), own.end());
  out.optimization = style->optimization;
  return out;
}

}  // namespace strata::cli
