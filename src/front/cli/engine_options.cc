#include "cli/engine_options.h"

#include "options/options.h"
#include "strata/task/bench_text.h"

namespace strata::cli {

std::vector<std::string> EngineOptions::add_to(App& app) {
  app.add("engine", {{"--engine", &engine},
                     {"--engine-path", &path},
                     {"--device", &device},
                     {"--provider", &provider},
                     {"--threads", &threads}});
  app.add_option("--engine-option", own)->replaced_by("--engine NAME:KEY=VALUE");
  return {"--engine", "--engine-path", "--device", "--provider", "--threads", "--engine-option"};
}

Result<EngineRequest> EngineOptions::request() const {
  auto style = of_option("--engine", parse_engine_style(engine));
  if (!style) return failure(style);
  if (!style->precisions.empty())
    return failure(Code::OptionValue, {.name = "--engine"},
                   "--engine: precision is for a list of engines; here, --precision says it");
  const auto number = of_option("--threads", parse_threads(threads));
  if (!number) return failure(number);
  EngineRequest out{style->engine, path, device, provider, style->options, *number};
  out.own.insert(out.own.end(), own.begin(), own.end());
  out.optimization = style->optimization;
  return out;
}

}  // namespace strata::cli
