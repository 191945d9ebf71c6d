#include "cli/time_options.h"

#include "cli/model_options.h"
#include "cli/options.h"

namespace strata::cli {

std::vector<Option*> TimeOptions::add_engine(App& app) {
  std::vector<Option*> options = engine.add_to(app);
  options.push_back(app.add_option("--precision NAME", timing.precision,
                                   "precision the engine computes in, if it can: fp32, fp16, …"));
  options.push_back(
      app.add_option("--seed N", timing.seed, "seed of made-up inputs and weights (default 0)")
          ->group("Measuring"));
  return options;
}

std::vector<Option*> TimeOptions::add_method(App& app) {
  Option* by_runs = app.add_option("--runs N", timing.runs,
                                   "number of inferences, every second one recorded; 0: by time")
                        ->within(0, 1'000'000);
  Option* by_time = app.add_quantity("--max-time TIME", Quantity::TimeLimit, timing.seconds,
                                     "how long to measure if --runs is not given (default 3s)")
                        ->needs([this] { return timing.runs == 0; },
                                "--runs says when to stop; leave out --max-time or --runs");
  app.old_name("--seconds", by_time);
  return {by_runs, by_time,
          app.add_option("--warmup N", timing.warmup,
                         "number of inferences before measuring; until they settle if not given")
              ->within(0, 1'000'000)};
}

Option* TimeOptions::add_view(App& app, const std::string& help) {
  return app.add_option("--view VIEW", view, help)->one_of({"source", "optimized"});
}

void TimeOptions::add_to(App& app, ModelOptions& model) {
  const Option* times =
      app.add_flag("--time", timing.time, "run the model on an engine and measure");
  const Option* memory_option = app.add_flag(
      "--memory", timing.memory, "run the model and record the memory that the engine takes");
  app.add_flag("--roofline", roofline, "compare times with what this machine can do at best")
      ->needs({times}, "there are no times to compare with the machine");
  const Option* look =
      add_view(app,
               "source: each node as it stands; optimized: as it really runs. Without --time "
               "and --memory, the engine's kernels are only looked at");
  all_need(add_engine(app), {times, memory_option, look}, "nothing is run");
  all_need(add_method(app), {times}, "no times are measured");
  model.take_files(app)->needs(
      [this, &model] { return timing.time || timing.memory || !model.has_files(); },
      "nothing is run on the elements of a file; add --time or --memory");
}

void TimeOptions::add_to(App& app) {
  const Option* times =
      app.add_flag("--time", timing.time, "run the networks on an engine and measure");
  std::vector<Option*> how = add_engine(app);
  for (Option* option : add_method(app)) how.push_back(option);
  how.push_back(add_view(app, "source: each node as it stands; optimized: as it really runs"));
  all_need(how, {times}, "nothing is run");
}

Result<TimingRequest> TimeOptions::request() const {
  auto chosen = engine.request();
  if (!chosen) return failure(chosen);
  if (engine.engine.find("opt=") != std::string::npos)
    return failure(
        "--engine: opt has no effect here, because --view says how far the engine may "
        "optimize; leave it out",
        ErrorKind::Usage);
  TimingRequest out = timing;
  out.engine = std::move(*chosen);
  out.optimized = view == "optimized";
  return out;
}

}  // namespace strata::cli
