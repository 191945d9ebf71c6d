#include "strata/task/calibrate_device.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/output_file.h"
#include "engine/confine.h"
#include "predict/calibration_networks.h"
#include "predict/measured_kernels.h"
#include "strata/build/weights.h"
#include "strata/data/inputs.h"
#include "strata/machine/machine.h"
#include "strata/machine/roofline.h"
#include "strata/predict/predict.h"
#include "strata/write/onnx.h"
#include "task/job_process.h"

namespace strata {

namespace {

constexpr std::string_view kStage = "calibrating";
constexpr double kMinSpread = 1.05;
constexpr double kShare = 0.9;  // of networks that the interval is to hold

constexpr FileKind kDeviceFile = {.form = FileForm::Marked, .name = "# device file of strata"};

struct TimedNetwork {
  std::string name;
  std::vector<FusedKernel> kernels = {};
  PlacedTimes placed = {};
  double seconds = 0;  // of a run
};

class Calibrating {
 public:
  Calibrating(const CalibrateDeviceRequest& request, const Observer& observer)
      : request_(request), observer_(observer) {}
  Result<CalibrateDeviceOutcome> run();

 private:
  Status time_network(std::size_t index);
  // Constants of all networks but one; kNone: of all.
  MeasuredRuntime constants(std::size_t without) const;
  Device described(MeasuredRuntime measured) const;
  double predicted(const TimedNetwork& network, const MeasuredRuntime& measured) const;

  const CalibrateDeviceRequest& request_;
  const Observer& observer_;
  std::optional<Engine> engine_;
  SessionOptions session_;
  Roofline roofline_;
  std::vector<TimedNetwork> networks_;
  double waited_ = 0, wall_ = 0;
};

Status Calibrating::time_network(std::size_t index) {
  auto model = calibration_network(index);
  if (!model) return failure(model);
  TimedNetwork out{.name = std::string(calibration_network_name(index))};
  const Costs costs = count(*model);
  std::vector<std::string> notes;
  auto kernels = find_kernels(*model, costs, Runtime::Engine, notes);
  if (!kernels) return failure(kernels);
  const auto bytes = onnx_bytes(*model, {.fill = build::random_weights(*model, index)});
  if (!bytes) return failure(bytes);
  const auto inputs = random_inputs(*model, index);
  if (!inputs) return failure(inputs);
  TimingOptions options;
  options.session = session_;
  options.seconds = request_.seconds / static_cast<double>(calibration_networks());
  options.sessions = 2;
  options.nodes = model->graph().nodes.size();
  options.stop = observer_.stop;
  options.progress = [&](const TimingProgress& progress) {
    observer_.show(kStage, (static_cast<double>(index) + progress.done) /
                               static_cast<double>(calibration_networks()));
  };
  const auto timing = time_model(*engine_, {"", ModelBytes{*bytes}}, *inputs, options);
  if (!timing) return failure_in(out.name, timing);
  if (observer_.stopped() || timing->runs.empty()) return {};
  std::vector<EngineKernel> timed;
  for (const KernelTimes& times : timing->kernels)
    timed.push_back({times.kernel.sources, summarize(times.seconds).median});
  out.placed = place_times(*model, costs, *kernels, timed);
  out.kernels = std::move(*kernels);
  out.seconds = summarize(timing->runs).median;
  waited_ += timing->contention.wait_seconds;
  wall_ += timing->contention.wall_seconds;
  networks_.push_back(std::move(out));
  return {};
}

MeasuredRuntime Calibrating::constants(std::size_t without) const {
  MeasuredRuntime out{
      .engine = fmt::format("{} {}, {} thread{}", engine_->name(), engine_->release(),
                            session_.threads, session_.threads == 1 ? "" : "s"),
      .runtime = std::string(name_of(Runtime::Engine)),
      .precision = "fp32"};
  std::vector<TimedKernel> all;
  std::vector<double> launches;
  for (std::size_t i = 0; i < networks_.size(); ++i) {
    if (i == without) continue;
    const TimedNetwork& network = networks_[i];
    double inside = network.placed.together;
    for (const TimedKernel& one : network.placed.kernels) {
      all.push_back(one);
      inside += one.seconds;
    }
    // Changes of layout and the time between kernels belong to no kernel of ours: each gets an
    // equal part.
    const double count = static_cast<double>(network.kernels.size());
    launches.push_back(std::max(1e-7, (network.seconds - inside) / count));
  }
  const double between = launches.empty() ? 1e-6 : median_of(launches);
  out.launch_seconds = between;
  for (const ClassConstants& one :
       fit_classes(all, roofline_.fp32_flops, roofline_.bytes_per_second))
    out.classes.push_back({std::string(name_of(one.kind)), one.compute, one.memory,
                           one.launch_seconds + between, one.kernels});
  return out;
}

Device Calibrating::described(MeasuredRuntime measured) const {
  const std::string source = fmt::format("measured: {}, {} thread{}", roofline_.kernel,
                                         roofline_.threads, roofline_.threads == 1 ? "" : "s");
  Device device{.name = "measured", .title = roofline_.cpu, .kind = "cpu", .family = "measured"};
  device.note = "measured by strata calibrate-device with " + measured.engine;
  device.units = Figure{static_cast<double>(session_.threads), "threads of the engine"};
  device.bandwidth = Figure{roofline_.bytes_per_second, source};
  device.peaks.push_back({"fp32", {roofline_.fp32_flops, source}});
  if (roofline_.bf16_flops) device.peaks.push_back({"bf16", {*roofline_.bf16_flops, source}});
  if (roofline_.int8_ops) device.peaks.push_back({"int8", {*roofline_.int8_ops, source}});
  device.measured = std::move(measured);
  return device;
}

double Calibrating::predicted(const TimedNetwork& network, const MeasuredRuntime& measured) const {
  const auto predictor = Predictor::make(described(measured), Runtime::Engine, "fp32");
  return predictor ? predictor->time(network.kernels).seconds : 0;
}

// Measured over predicted: between these for 9 of 10 networks that were left out of the fit.
void set_spread(MeasuredRuntime& measured, const std::vector<CalibrationRun>& runs) {
  std::vector<double> ratios;
  for (const CalibrationRun& run : runs)
    if (run.predicted > 0) ratios.push_back(run.measured / run.predicted);
  if (ratios.empty()) return;
  std::sort(ratios.begin(), ratios.end());
  measured.low = std::min(nearest_rank(ratios, (1 - kShare) / 2), 1 / kMinSpread);
  measured.high = std::max(nearest_rank(ratios, (1 + kShare) / 2), kMinSpread);
}

Result<CalibrateDeviceOutcome> Calibrating::run() {
  auto engine = request_.engine.load();
  if (!engine) return failure(engine);
  engine_ = std::move(*engine);
  auto session = request_.engine.session();
  if (!session) return failure(session);
  session_ = std::move(*session);
  observer_.show(kStage, 0.0);
  roofline_ = measure_roofline(session_.threads);
  CalibrateDeviceOutcome out;
  for (std::size_t i = 0; i < calibration_networks() && !observer_.stopped(); ++i)
    if (Status status = time_network(i); !status) return failure(status);
  out.interrupted = networks_.size() < calibration_networks();
  if (out.interrupted) return out;
  for (std::size_t i = 0; i < networks_.size(); ++i)
    out.runs.push_back(
        {networks_[i].name, networks_[i].seconds, predicted(networks_[i], constants(i))});
  MeasuredRuntime measured = constants(kNone);
  set_spread(measured, out.runs);
  std::vector<TimedKernel> all;
  for (const TimedNetwork& network : networks_)
    all.insert(all.end(), network.placed.kernels.begin(), network.placed.kernels.end());
  for (const ClassConstants& one :
       fit_classes(all, roofline_.fp32_flops, roofline_.bytes_per_second))
    out.classes.push_back({std::string(name_of(one.kind)), one.median_error});
  out.text = std::string(kDeviceFile.name) + "\n" + device_text(described(std::move(measured)));
  out.waited = wall_ > 0 ? waited_ / wall_ : -1;
  return out;
}

}  // namespace

Result<CalibrateDeviceOutcome> run_calibrate_device(const CalibrateDeviceRequest& request,
                                                    const Observer& observer) {
  if (request.in_process) return Calibrating(request, observer).run();
  if (!request.output.empty())
    if (Status status = check_writable(request.output, kDeviceFile); !status)
      return failure(status);
  // The networks are strata's own, so a machine that cannot confine the engine is no reason to
  // refuse.
  const JobPlace place{.kind = JobKind::CalibrateDevice,
                       .program = request.program,
                       .model = "calibration",
                       .engine = request.engine.engine,
                       .on_stop = OnStop::End,
                       .trust_model = !can_confine()};
  auto outcome = run_job_in_child<CalibrateDeviceOutcome>(place, request, observer);
  if (!outcome && outcome.error().code == Code::Cancelled)
    return CalibrateDeviceOutcome{.interrupted = true};
  if (!outcome || outcome->interrupted || request.output.empty()) return outcome;
  if (Status status = write_file(request.output, kDeviceFile, outcome->text); !status)
    return failure(status);
  return outcome;
}

}  // namespace strata
