#include "strata/task/stat.h"

#include "base/mapped_file.h"
#include "strata/machine/machine.h"
#include "strata/machine/roofline.h"
#include "strata/measure/measured_calls.h"
#include "strata/profile/columns.h"
#include "strata/read/read.h"
#include "strata/task/record.h"

namespace strata {

namespace {

// What was measured, as tables take it; refers to `timed` and `roofline`.
void take_measurements(const TimedModel& timed, const Roofline* roofline, ProfileOptions& profile) {
  profile.plan = timed.plan ? &*timed.plan : nullptr;
  profile.timing = timed.timing ? &*timed.timing : nullptr;
  profile.memory = timed.memory ? &*timed.memory : nullptr;
  profile.timing_facts = timed.facts;
  profile.machine = timed.machine;
  profile.interrupted = timed.interrupted;
  profile.roofline = roofline;
}

// What a file of measured calls says of the model.
Result<TimedModel> read_measured(const std::string& path, const Model& model) {
  const auto file = MappedFile::open(path);
  if (!file) return failure(file);
  const auto calls = read_measured_calls((*file)->bytes(), path);
  if (!calls) return failure(calls);
  TimedModel out;
  out.timing = timing_of(*calls, model);
  out.memory = memory_of(*calls, model);
  out.facts.engine = calls->engine;
  out.facts.view = "source";
  out.facts.threads = calls->threads;
  out.machine = named_facts(read_machine());
  return out;
}

Result<Profile> table_of(const Analysis& analysis, ProfileOptions& profile, bool all_columns,
                         const Caller& caller) {
  profile.all_columns = all_columns;
  auto table = make_profile(analysis, profile);
  if (table) table->options = caller.options;
  return table;
}

// A TorchScript file is recorded on the engine and the inputs that it is timed with.
Result<StatRequest> with_recording(const StatRequest& request, const Observer& observer) {
  StatRequest out = request;
  if (!request.model.recording.empty() || !is_torchscript(request.model.path)) return out;
  RecordRequest record{.model = request.model};
  if (out.time) {
    TimingRequest& time = *out.time;
    if (time.engine.engine == EngineRequest().engine) time.engine.engine = record.engine.engine;
    record.engine = time.engine;
    record.inputs = time.inputs;
    record.seed = time.seed;
    record.program = time.program;
  }
  auto recorded = record_model(record, observer);
  if (!recorded) return failure(recorded);
  out.model = std::move(*recorded);
  return out;
}

}  // namespace

Result<StatOutcome> run_stat(const StatRequest& given, const Observer& observer) {
  const auto recorded = with_recording(given, observer);
  if (!recorded && observer.stopped() && recorded.error().code == Code::Cancelled) {
    StatOutcome none;
    none.interrupted = true;
    return none;
  }
  if (!recorded) return failure(recorded);
  const StatRequest& request = *recorded;
  ModelRequest model = request.model;
  model.memory = model.memory || request.profile.device_memory == "recorded";
  auto loaded = load_model(model);
  if (!loaded) return failure(loaded);
  StatOutcome out;
  out.loaded = std::make_unique<LoadedModel>(std::move(*loaded));
  ProfileOptions profile = request.profile;
  profile.limit = request.model.limit;

  TimedModel timed;
  Roofline roofline;
  if (request.time) {
    auto measured = run_timing(*out.loaded, request.model, *request.time, observer);
    if (!measured) return failure(measured);
    timed = std::move(*measured);
    out.interrupted = timed.interrupted;
    if (timed.interrupted && !timed.timing) return out;
    const bool has_roofline = request.roofline && !timed.interrupted;
    if (has_roofline) roofline = cached_roofline(timed.facts.threads);
    if (!roofline.note.empty()) out.loaded->model.notes.push_back(roofline.note);
    take_measurements(timed, has_roofline ? &roofline : nullptr, profile);
  } else if (!request.measured.empty()) {
    auto measured = read_measured(request.measured, out.loaded->model);
    if (!measured) return failure(measured);
    timed = std::move(*measured);
    take_measurements(timed, nullptr, profile);
  }

  profile.all_columns = request.full;
  profile.needs = needs_of(profile);
  if (request.full) profile.needs |= Need::Hash;
  auto analysis = analyse_for(out.loaded->model, out.loaded->inference, profile);
  if (!analysis) return failure(analysis);
  out.analysis = std::make_unique<Analysis>(std::move(*analysis));
  if (request.shown) {
    auto table = table_of(*out.analysis, profile, false, request.caller);
    if (!table) return failure(table);
    out.shown = std::move(*table);
  }
  if (request.full) {
    auto table = table_of(*out.analysis, profile, true, request.caller);
    if (!table) return failure(table);
    out.full = std::move(*table);
  }
  return out;
}

}  // namespace strata
