#include "cli/time_options.h"

#include "cli/model_options.h"
#include "options/options.h"

namespace strata::cli {

void TimeOptions::add_run(App& app, const std::vector<std::string>& needed) {
  std::vector<std::string> names = engine.add_to(app);
  std::erase(names, "--engine-path");  // an engine also records files that it does not time
  names.insert(names.end(), {"--precision", "--seed"});
  app.add("time", {{"--precision", &timing.precision},
                   {"--seed", &timing.seed},
                   {"--runs", &timing.runs},
                   {"--max-time", &timing.seconds},
                   {"--warmup", &timing.warmup}});
  app.need(names, needed, "nothing is run");
  app.need_that(
      {"--max-time"}, [this] { return timing.runs == 0; },
      "--runs says when to stop; leave out --max-time or --runs");
}

void TimeOptions::add_to(App& app, ModelOptions& model) {
  app.add("time", {{"--time", &timing.time},
                   {"--memory", &timing.memory},
                   {"--roofline", &roofline},
                   {"--view", &view}});
  add_run(app, {"--time", "--memory", "--view"});
  app.need({"--roofline"}, {"--time", "--on"}, "there are no times to compare with the machine");
  model.takes_files = true;
  app.need_that(
      {"--input"},
      [this, &model] {
        return timing.time || timing.memory || !model.has_files() || model.is(SourceKind::Code);
      },
      "nothing is run on the elements of a file; add --time or --memory");
}

void TimeOptions::add_to(App& app) {
  app.add("time", {{"--time", &timing.time}});
  add_run(app, {"--time"});
  app.add("time", {{"--view", &view}});
  app.need({"--view"}, {"--time"}, "nothing is run");
}

Status TimeOptions::read_into(std::optional<TimingRequest>& request) const {
  if (!opens_engine()) return {};
  auto chosen = engine.request();
  if (!chosen) return failure(chosen);
  if (engine.engine.find("opt=") != std::string::npos)
    return failure(Code::OptionEffect, {.name = "--engine"},
                   "--engine: opt has no effect here, because --view says how far the engine may "
                   "optimize; leave it out");
  request = timing;
  request->engine = std::move(*chosen);
  if (view == "source") request->view = EngineView::Source;
  if (view == "optimized") request->view = EngineView::Optimized;
  return {};
}

}  // namespace strata::cli
