#include "strata/task/calibrate.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "calibrate/ranges_kind.h"
#include "graph/hash.h"
#include "strata/calibrate/calibrate.h"
#include "strata/edit/qdq.h"
#include "task/fingerprint.h"
#include "task/float_model.h"
#include "task/job_process.h"
#include "task/opened_engine.h"

namespace strata {

namespace {

constexpr std::string_view kStage = "calibrating";

// Two runs with the same fingerprint see the same elements, unless files of the data change.
Result<std::string> fingerprint(const Model& loaded, const EngineModel& model, const Dataset& data,
                                const Engine& engine, const SessionOptions& session,
                                std::span<const Watched> watched) {
  Fingerprint all;
  if (Status status = all.add_model(loaded, model); !status) return failure(status);
  all.add_data(loaded, data);
  all.add_engine(engine, session);
  for (const Watched& one : watched) {
    all.add(one.tensor);
    all.add_number(static_cast<std::uint64_t>(one.channel_axis));
  }
  return all.text();
}

std::string part_path(const std::string& output) { return output + ".part"; }

// The earlier run with the same fingerprint that got furthest; nullopt if there is none.
std::optional<Calibration> earlier(const std::string& output, const Calibration& now) {
  std::optional<Calibration> best;
  for (const std::string& path : {output, part_path(output)}) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) continue;
    auto found = read_calibration(path);
    if (!found || found->run != now.run || found->samples > now.planned) continue;
    if (found->tensors.size() != now.tensors.size()) continue;
    if (!best || found->samples > best->samples) best = std::move(*found);
  }
  return best;
}

bool is_finished(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  const auto found = read_calibration(path);
  return found && found->samples >= found->planned;
}

void take(Calibration& calibration, SketchedSamples sketched) {
  calibration.samples = static_cast<std::uint64_t>(sketched.samples);
  for (std::size_t i = 0; i < sketched.sketches.size(); ++i)
    calibration.tensors[i].sketch = std::move(sketched.sketches[i]);
}

class Calibrating {
 public:
  Calibrating(const CalibrateRequest& request, const Observer& observer)
      : request_(request), observer_(observer) {}
  Result<CalibrateOutcome> run();

 private:
  Status load();
  Status describe();
  SketchedSamples before() const;
  CalibrateOptions pass_options() const;
  Status write();
  bool is_kept() const { return !request_.output.empty(); }

  const CalibrateRequest& request_;
  const Observer& observer_;
  LoadedModel loaded_;
  std::vector<Watched> watched_;
  std::optional<Dataset> data_;
  std::optional<Engine> engine_;
  SessionOptions session_;
  EngineModel model_;
  CalibrateOutcome outcome_;
};

// Everything that can be wrong with the request is found before the work begins.
Status Calibrating::load() {
  auto loaded = load_float_model(request_.model);
  if (!loaded) return failure(loaded);
  loaded_ = std::move(*loaded);
  auto data = request_.data.open(loaded_.model);
  if (!data) return failure(data);
  data_ = std::move(*data);
  for (const std::string& note : data_->notes()) observer_.say(note);
  watched_ = watched_tensors(loaded_.model, request_.per_channel);
  if (watched_.empty())
    return failure(Code::NothingToQuantize, {.model = request_.model.source.word()},
                   fmt::format("{}: there is nothing to calibrate: no layer of it can be quantized",
                               request_.model.source.word()));
  if (is_kept())
    if (Status status = check_calibration_file(request_.output); !status) return status;
  auto opened = open_engine(request_.engine, loaded_, request_.model, request_.data.data.seed);
  if (!opened) return failure(opened);
  engine_ = std::move(opened->engine);
  session_ = std::move(opened->session);
  model_ = std::move(opened->model);
  return {};
}

Status Calibrating::describe() {
  auto identity = fingerprint(loaded_.model, model_, *data_, *engine_, session_, watched_);
  if (!identity) return failure(identity);
  Calibration& calibration = outcome_.calibration;
  calibration.model = request_.model.source.word();
  calibration.hash = graph_hash(loaded_.model);
  calibration.planned = static_cast<std::uint64_t>(data_->count());
  calibration.random = data_->random();
  calibration.data = data_->describe();
  calibration.engine = fmt::format("{} {}", engine_->name(), engine_->release());
  calibration.run = *identity;
  calibration.source = request_.data.words();
  calibration.choice = request_.ranges;
  for (const Watched& one : watched_)
    calibration.tensors.push_back({one.tensor, one.layer, Sketch(), one.block});
  return {};
}

SketchedSamples Calibrating::before() const {
  SketchedSamples out;
  if (!is_kept() || request_.fresh) return out;
  auto found = earlier(request_.output, outcome_.calibration);
  if (!found) return out;
  observer_.say_resumed(
      found->samples < static_cast<std::uint64_t>(data_->count())
          ? fmt::format("going on after {} of {} samples", found->samples, data_->count())
          : fmt::format("all {} samples have been seen before", data_->count()));
  out.samples = static_cast<std::int64_t>(found->samples);
  for (TensorSketch& tensor : found->tensors) out.sketches.push_back(std::move(tensor.sketch));
  return out;
}

CalibrateOptions Calibrating::pass_options() const {
  CalibrateOptions options;
  options.session = session_;
  options.allow_nonfinite = request_.allow_nonfinite;
  options.stop = observer_.stop;
  options.progress = [this](std::int64_t done) { observer_.show(kStage, done, data_->count()); };
  options.keep_seconds = request_.keep_seconds;
  if (!is_kept()) return options;
  options.keep = [this, warned = false](SketchedSamples so_far) mutable -> Status {
    Calibration part = outcome_.calibration;
    take(part, std::move(so_far));
    // Everything stays in memory: there may be room on the disk again at the end.
    const Status status = write_calibration(part, part_path(request_.output));
    if (!status && !std::exchange(warned, true))
      observer_.say(fmt::format("{}; going on without", observer_.phrased(status.error())));
    return {};
  };
  return options;
}

// A run that was stopped does not replace one that was not; it goes on from its part.
Status Calibrating::write() {
  if (outcome_.interrupted && is_finished(request_.output))
    return write_calibration(outcome_.calibration, part_path(request_.output));
  return write_calibration(outcome_.calibration, request_.output);
}

// Removes what a run kept to resume from, once the output has all of it. A file of that name that
// is not part of this run is not ours.
void remove_part(const std::string& output) {
  std::error_code error;
  if (output.empty() || !std::filesystem::is_regular_file(part_path(output), error)) return;
  const auto whole = read_calibration(output), part = read_calibration(part_path(output));
  if (whole && part && part->run == whole->run && part->samples <= whole->samples)
    std::filesystem::remove(part_path(output), error);
}

Result<CalibrateOutcome> Calibrating::run() {
  if (Status status = load(); !status) return failure(status);
  if (Status status = describe(); !status) return failure(status);
  SketchedSamples earlier_samples = before();
  observer_.show(kStage, earlier_samples.samples, data_->count());
  auto sketched = calibrate(*engine_, model_.source(), loaded_.model, *data_, watched_,
                            pass_options(), std::move(earlier_samples));
  if (!sketched) return failure(sketched);
  outcome_.interrupted = sketched->samples < data_->count();
  take(outcome_.calibration, std::move(*sketched));
  if (is_kept() && outcome_.calibration.samples > 0)
    if (Status status = write(); !status) outcome_.unwritten = status.error();
  return std::move(outcome_);
}

}  // namespace

Result<CalibrateOutcome> run_calibrate(const CalibrateRequest& request, const Observer& observer) {
  if (request.in_process) {
    auto outcome = Calibrating(request, observer).run();
    remove_part(request.output);
    return outcome;
  }
  JobPlace place{.kind = JobKind::Calibrate,
                 .program = request.program,
                 .model = request.model.source.word(),
                 .engine = request.engine.engine,
                 .max_wait_seconds = request.model.max_wait_seconds,
                 .trust_model = is_trusted(request.model)};
  if (!request.output.empty()) {
    place.kept_in = part_path(request.output);
    place.rights.outputs = {{request.output, kRangesFile}, {place.kept_in, kRangesFile}};
  }
  auto outcome = run_job_in_child<CalibrateOutcome>(place, request, observer);
  remove_part(request.output);
  return outcome;
}

Result<Calibration> merge_calibrations(std::span<const std::string> paths) {
  std::optional<Calibration> all;
  for (const std::string& path : paths) {
    auto one = read_calibration(path);
    if (!one) return failure(one);
    if (!all)
      all = std::move(*one);
    else if (Status status = merge(*all, *one); !status)
      return failure_in(path, status);
  }
  if (!all) return failure("there are no calibrations to merge", ErrorKind::Usage);
  return std::move(*all);
}

Result<Calibration> merge_calibrations(std::span<const std::string> paths,
                                       const RangeOptions& ranges, const std::string& output) {
  auto all = merge_calibrations(paths);
  if (!all) return all;
  all->choice = ranges;
  if (!output.empty())
    if (Status status = write_calibration(*all, output); !status) return failure(status);
  return all;
}

}  // namespace strata
