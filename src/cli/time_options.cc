#include "cli/time_options.h"

#include "cli/model_options.h"
#include "options/options.h"

namespace strata::cli {

namespace {

const std::vector<std::string> kMethod = {"--runs", "--max-time", "--warmup"};

}  // namespace

std::vector<std::string> TimeOptions::add_engine(App& app) {
  std::vector<std::string> names = engine.add_to(app);
  app.add("time", {{"--precision", &timing.precision}, {"--seed", &timing.seed}});
  names.insert(names.end(), {"--precision", "--seed"});
  return names;
}

void TimeOptions::add_method(App& app) {
  app.add(
      "time",
      {{"--runs", &timing.runs}, {"--max-time", &timing.seconds}, {"--warmup", &timing.warmup}});
  app.need_that(
      {"--max-time"}, [this] { return timing.runs == 0; },
      "--runs says when to stop; leave out --max-time or --runs");
}

void TimeOptions::add_to(App& app, ModelOptions& model) {
  app.add("time", {{"--time", &timing.time},
                   {"--memory", &timing.memory},
                   {"--roofline", &roofline},
                   {"--view", &view}});
  app.need(add_engine(app), {"--time", "--memory", "--view"}, "nothing is run");
  add_method(app);
  app.need(kMethod, {"--time"}, "no times are measured");
  model.take_files(app)->needs(
      [this, &model] { return timing.time || timing.memory || !model.has_files(); },
      "nothing is run on the elements of a file; add --time or --memory");
}

void TimeOptions::add_to(App& app) {
  app.add("time", {{"--time", &timing.time}});
  app.need(add_engine(app), {"--time"}, "nothing is run");
  add_method(app);
  app.add("time", {{"--view", &view}});
  app.need(kMethod, {"--time"}, "nothing is run");
  app.need({"--view"}, {"--time"}, "nothing is run");
}

Status TimeOptions::read_into(std::optional<TimingRequest>& request) const {
  if (!opens_engine()) return {};
  auto chosen = engine.request();
  if (!chosen) return failure(chosen);
  if (engine.engine.find("opt=") != std::string::npos)
    return failure(
        "--engine: opt has no effect here, because --view says how far the engine may "
        "optimize; leave it out",
        ErrorKind::Usage);
  request = timing;
  request->engine = std::move(*chosen);
  request->optimized = view == "optimized";
  return {};
}

}  // namespace strata::cli
