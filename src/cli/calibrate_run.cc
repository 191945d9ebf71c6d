#include "cli/calibrate_run.h"

#if defined(__linux__)
#include <malloc.h>
#endif

#include <filesystem>

#include <fmt/format.h>

#include "cli/fingerprint.h"
#include "cli/interrupt.h"
#include "cli/progress_bar.h"
#include "profile/hash.h"
#include "strata/quant/calibrate.h"
#include "strata/quant/qdq.h"
#include "write/output_file.h"

namespace strata::cli {

namespace {

constexpr double kKeepSeconds = 30;

// Two runs with the same one see the same elements, unless files of the data change.
Result<std::string> fingerprint(const LoadedModel& loaded, const EngineModel& model,
                                const Dataset& data, const Engine& engine,
                                const SessionOptions& session, std::span<const Watched> watched) {
  Fingerprint all;
  if (Status status = add_model(all, loaded, model); !status) return tl::unexpected(status.error());
  add_data(all, loaded, data);
  add_engine(all, engine, session);
  for (const Watched& one : watched) {
    all.add(one.tensor);
    all.add_number(static_cast<std::uint64_t>(one.channel_axis));
  }
  return all.text();
}

std::string part_path(const std::string& output) { return output + ".part"; }

// The furthest that an earlier run with the same fingerprint came; nothing if none did.
std::optional<Calibration> earlier(const std::string& output, const Calibration& now) {
  std::optional<Calibration> best;
  for (const std::string& path : {output, part_path(output)}) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) continue;
    auto found = read_calibration(path);
    if (!found || found->run != now.run || found->samples >= now.planned) continue;
    if (found->tensors.size() != now.tensors.size()) continue;
    if (!best || found->samples > best->samples) best = std::move(*found);
  }
  if (best) fmt::print(stderr, "going on after {} of {} samples\n", best->samples, now.planned);
  return best;
}

void take(Calibration& calibration, SketchedSamples sketched) {
  calibration.samples = static_cast<std::uint64_t>(sketched.samples);
  for (std::size_t i = 0; i < sketched.sketches.size(); ++i)
    calibration.tensors[i].sketch = std::move(sketched.sketches[i]);
}

// What an engine takes to open a model goes back to the system at once, and does not
// stay with the heap: that is as much as the model itself, or more.
void keep_heap_small() {
#if defined(__GLIBC__)
  ::mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}

}  // namespace

Result<CalibrateResult> run_calibration(const CalibrateRun& run) {
  keep_heap_small();
  auto loaded = load_one_item(run.model);
  if (!loaded) return tl::unexpected(loaded.error());
  if (Status status = check_has_weights(loaded->model); !status)
    return tl::unexpected(status.error());
  if (Status status = check_not_quantized(loaded->model); !status)
    return failure(fmt::format("{}: {}", run.model.path, status.error().message));
  auto data = run.data.open(loaded->model);
  if (!data) return tl::unexpected(data.error());
  for (const std::string& note : data->notes()) fmt::print(stderr, "note: {}\n", note);
  const std::vector<Watched> watched = watched_tensors(loaded->model, run.per_channel);
  if (watched.empty())
    return failure(fmt::format("{}: there is nothing to calibrate: no layer of it can be quantized",
                               run.model.path));
  // Before the work, not after it.
  if (!run.output.empty())
    if (auto file = OutputFile::create(run.output); !file) return tl::unexpected(file.error());

  auto engine = run.engine.load();
  if (!engine) return tl::unexpected(engine.error());
  auto session = run.engine.session();
  if (!session) return tl::unexpected(session.error());
  auto model = engine_model(*loaded, run.model, run.data.data.seed);
  if (!model) return tl::unexpected(model.error());
  auto identity = fingerprint(*loaded, *model, *data, *engine, *session, watched);
  if (!identity) return tl::unexpected(identity.error());

  CalibrateResult result;
  Calibration& calibration = result.calibration;
  calibration.model = run.model.path;
  calibration.hash = graph_hash(loaded->model);
  calibration.planned = static_cast<std::uint64_t>(data->count());
  calibration.random = data->random();
  calibration.data = data->describe();
  calibration.engine = fmt::format("{} {}", engine->name(), engine->release());
  calibration.run = *identity;
  calibration.source = run.data.words();
  calibration.choice = run.ranges;
  for (const Watched& one : watched)
    calibration.tensors.push_back({one.tensor, one.layer, Sketch(), one.block});

  SketchedSamples before;
  if (!run.output.empty() && !run.fresh)
    if (auto found = earlier(run.output, calibration)) {
      before.samples = static_cast<std::int64_t>(found->samples);
      for (TensorSketch& tensor : found->tensors)
        before.sketches.push_back(std::move(tensor.sketch));
    }

  const StopOnInterrupt stop;
  ProgressBar bar("calibrating", before.samples, data->count());
  CalibrateOptions options;
  options.session = std::move(*session);
  options.allow_nonfinite = run.allow_nonfinite;
  options.stop = &StopOnInterrupt::flag();
  options.progress = [&](std::int64_t done) { bar.show(done); };
  options.keep_seconds = kKeepSeconds;
  bool warned = false;
  if (!run.output.empty())
    options.keep = [&](const SketchedSamples& so_far) -> Status {
      Calibration part = calibration;
      take(part, so_far);
      // What there is stays in memory: room may have been made until the end.
      const Status status = write_calibration(part, part_path(run.output));
      if (!status && !std::exchange(warned, true))
        fmt::print(stderr, "\nnote: {}; going on without\n", status.error().message);
      return {};
    };
  auto sketched = calibrate(*engine, model->source(), loaded->model, *data, watched, options,
                            std::move(before));
  if (!sketched) return tl::unexpected(sketched.error());
  result.interrupted = sketched->samples < data->count();
  take(calibration, std::move(*sketched));
  if (!run.output.empty() && calibration.samples > 0) {
    if (Status status = write_calibration(calibration, run.output); !status) {
      result.unwritten = status.error();
    } else {
      std::error_code error;
      std::filesystem::remove(part_path(run.output), error);
    }
  }
  return result;
}

}  // namespace strata::cli
