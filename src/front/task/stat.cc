#include "strata/task/stat.h"

#include "base/mapped_file.h"
#include "measure/trtexec.h"
#include "strata/machine/machine.h"
#include "strata/machine/roofline.h"
#include "strata/measure/measured_calls.h"
#include "strata/profile/columns.h"
#include "strata/read/read.h"
#include "strata/task/record.h"
#include "task/arena_notes.h"
#include "task/cache_notes.h"
#include "task/found_sizes.h"
#include "task/language_model.h"

namespace strata {

namespace {

// Passes the measurements on in the form that tables take; refers to `timed` and `roofline`.
void take_measurements(const TimedModel& timed, const Roofline* roofline, ProfileOptions& profile) {
  profile.plan = timed.plan ? &*timed.plan : nullptr;
  profile.timing = timed.timing ? &*timed.timing : nullptr;
  profile.memory = timed.memory ? &*timed.memory : nullptr;
  profile.timing_facts = timed.facts;
  profile.machine = timed.machine;
  profile.interrupted = timed.interrupted;
  profile.roofline = roofline;
}

// Reads trtexec's profile, and perhaps its export of layers, in any order.
Result<TimedModel> read_trtexec(std::string_view text, const StatRequest& request, Model& model) {
  std::shared_ptr<const MappedFile> other;
  std::string_view profile = text, layers;
  if (!request.measured_layers.empty()) {
    auto file = MappedFile::open(request.measured_layers);
    if (!file) return failure(file);
    other = std::move(*file);
    layers = other->bytes();
    if (looks_like_trtexec_layers(profile)) std::swap(profile, layers);
  }
  auto read = read_trtexec_timing(profile, layers, model);
  if (!read)
    return failure(coded(Code::FileBroken, {.file = request.measured, .name = "trtexec"},
                         error_in(request.measured, read.error())));
  model.notes.insert(model.notes.begin(), read->notes.begin(), read->notes.end());
  TimedModel out;
  out.timing = std::move(read->timing);
  out.facts.engine = "TensorRT (trtexec)";
  out.facts.view = "optimized";
  out.facts.threads = 1;
  return out;
}

// Reads a file of what was measured elsewhere: calls of the model's modules, or trtexec's profile.
Result<TimedModel> read_measured(const StatRequest& request, Model& model) {
  const std::string& path = request.measured;
  const auto file = MappedFile::open(path);
  if (!file) return failure(file);
  const std::string_view text = (*file)->bytes();
  if (looks_like_trtexec_profile(text) || looks_like_trtexec_layers(text))
    return read_trtexec(text, request, model);
  const auto calls = read_measured_calls(text, path);
  if (!calls) return failure(calls);
  TimedModel out;
  out.timing = timing_of(*calls, model);
  out.memory = memory_of(*calls, model);
  out.facts.engine = calls->engine;
  out.facts.view = "eager";
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
  if (out.profile.convention == "served") out.model = with_cache(std::move(out.model));
  if (!request.model.recording.empty() || !request.model.source.is_code()) return out;
  RecordRequest record{.model = request.model, .inputs = request.model.input_files};
  record.engine.path = request.model.engine_path;
  if (out.time) {
    TimingRequest& time = *out.time;
    if (time.engine.engine == EngineRequest().engine) time.engine.engine = record.engine.engine;
    record.engine = time.engine;
    record.seed = time.seed;
    record.program = time.program;
  }
  auto recorded = record_model(record, observer);
  if (!recorded) return failure(recorded);
  out.model = std::move(*recorded);
  return out;
}

// The times that a profile shows, and the limits that they are compared with. The profile refers to
// them.
struct Times {
  TimedModel timed;
  Roofline roofline;
};

// Runs the model, and compares with the roofline of this machine.
Status add_own_times(const StatRequest& request, LoadedModel& loaded, ProfileOptions& profile,
                     Times& times, const Observer& observer) {
  auto measured = run_timing(loaded, request.model, *request.time, observer);
  if (!measured) return failure(measured);
  times.timed = std::move(*measured);
  const TimedModel& timed = times.timed;
  if (timed.interrupted && !timed.timing) return {};
  const bool has_roofline = request.roofline && !timed.interrupted;
  if (!timed.interrupted) times.roofline = cached_roofline(timed.facts.threads);
  if (has_roofline && !times.roofline.note.empty())
    loaded.model.notes.push_back(times.roofline.note);
  take_measurements(timed, has_roofline ? &times.roofline : nullptr, profile);
  if (!timed.interrupted) profile.reasons = &times.roofline;
  return {};
}

// Takes times from a run, from a file, or only the limits of another device.
Status add_times(const StatRequest& request, LoadedModel& loaded, ProfileOptions& profile,
                 Times& times, const Observer& observer) {
  if (request.time) return add_own_times(request, loaded, profile, times, observer);
  if (request.device) {
    auto roof = roofline_of(*request.device);
    if (!roof) return failure(roof);
    times.roofline = std::move(*roof);
    loaded.model.notes.push_back(times.roofline.note);
    profile.roofline = &times.roofline;
    return {};
  }
  if (request.measured.empty()) return {};
  auto measured = read_measured(request, loaded.model);
  if (!measured) return failure(measured);
  times.timed = std::move(*measured);
  take_measurements(times.timed, nullptr, profile);
  return {};
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

  add_cache_notes(out.loaded->model);
  if (request.tflm || request.on)
    if (Status status = add_arena_notes(out.loaded->model, request.model.source.bytes(),
                                        request.on ? &*request.on : nullptr);
        !status)
      return failure_in(request.model.source.word(), status);
  Times times;
  if (Status status = add_times(request, *out.loaded, profile, times, observer); !status)
    return failure(status);
  out.interrupted = times.timed.interrupted;
  if (out.interrupted && !times.timed.timing) return out;

  if (profile.device_memory == "pytorch-cuda")
    if (Status status = assume_largest_sizes(*out.loaded, model); !status) return failure(status);
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
