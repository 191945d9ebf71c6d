#include "strata/task/bench.h"

#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "strata/machine/machine.h"
#include "task/bench_group.h"

namespace strata {

namespace {

// A model about which nothing is known gets one row that says why.
BenchGroup refused_model(const BenchModel& model, const std::string& engine,
                         const std::string& reason) {
  BenchGroup group{model.name};
  VariantResult& row = group.result.variants.emplace_back();
  row.variant.model = model.name;
  row.variant.engine = engine;
  row.variant.file = model.file_for(engine);
  row.failure = Failure::Refused;
  row.reason = reason;
  return group;
}

Status run_model(const BenchModel& model, const BenchRequest& request, EngineFacts& engines,
                 const Observer& observer, BenchRun& run) {
  auto scratch = ScratchFolder::create();
  if (!scratch) return failure(scratch);
  ModelFiles files(request, *scratch);
  const auto groups = plan_model(model, request, files, engines, observer);
  if (!groups) {
    if (request.models.size() == 1 || groups.error().kind == ErrorKind::Usage)
      return failure(groups);
    run.groups.push_back(
        refused_model(model, request.engines.front().engine, observer.phrased(groups.error())));
    return {};
  }
  BenchOptions options = request.method;
  // The limit applies to a model, however many shapes it has.
  options.max_seconds /= static_cast<double>(groups->size());
  options.load.seconds /= static_cast<double>(groups->size());
  for (const PlannedGroup& group : *groups) {
    if (observer.stopped()) break;
    if (request.aa_trials > 0) {
      auto aa = check_group(group, request.aa_trials, options, observer);
      if (!aa) return failure(aa);
      run.aa.push_back(std::move(*aa));
      continue;
    }
    auto measured = run_group(group, options, observer);
    if (!measured) return failure(measured);
    run.groups.push_back(std::move(*measured));
    if (request.keep)
      if (auto status = request.keep(run); !status) return status;
  }
  return {};
}

}  // namespace

Result<BenchRun> run_bench(const BenchRequest& request, const Observer& observer) {
  if (request.models.size() > 1 && !request.inputs.empty())
    return failure(fmt::format("inputs are of one model, and there are {}", request.models.size()),
                   ErrorKind::Usage);
  const auto complete = with_usual_choices(request);
  if (!complete) return failure(complete);
  BenchRun run;
  run.program = request.caller.program;
  run.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  run.options = request.caller.options;
  run.machine = named_facts(read_machine());  // the load before the measurement, not during it
  run.method = request.method;
  run.method.limits.stop = nullptr;
  run.method.progress = {};
  run.complete = false;
  EngineFacts engines(*complete, observer);
  for (const BenchModel& model : complete->models) {
    if (observer.stopped()) break;
    if (auto status = run_model(model, *complete, engines, observer, run); !status)
      return failure(status);
  }
  run.complete = !observer.stopped();
  return run;
}

}  // namespace strata
