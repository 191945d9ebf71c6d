#include "cli/quantize_run.h"

#include <filesystem>

#include <fmt/format.h>

#include "cli/calibrate_run.h"
#include "cli/interrupt.h"
#include "cli/scratch_folder.h"
#include "measure/npz_write.h"
#include "profile/hash.h"
#include "quant/agreement.h"
#include "quant/layer_speed.h"
#include "strata/measure/inputs.h"
#include "strata/zoo/weights.h"
#include "strata/zoo/zoo.h"
#include "write/output_file.h"

namespace strata::cli {

namespace {

constexpr std::int64_t kCalibration = 32;  // samples, if nothing is said
constexpr std::int64_t kDropSamples = 8;   // that single layers are judged on, for `auto`
constexpr double kLayerSeconds = 2;        // for the times of layers

class Quantizing {
 public:
  explicit Quantizing(const QuantizeRequest& request) : request_(request) {}
  Result<QuantizeOutcome> run();

 private:
  Status prepare();
  Status find_ranges();
  Result<Dataset> held_out(std::int64_t samples) const;
  // Made in memory; the bytes.
  Result<std::string> made(const std::vector<bool>& keep_float, QuantizedModel* kept = nullptr);
  Result<std::vector<SampleScore>> judged(const std::vector<bool>& keep_float);
  Status choose_layers();
  Result<std::vector<double>> drops() const;
  Status time_layers(const ModelSource& int8, bool floats);
  Status write(const std::vector<bool>& keep_float);
  Status compare_speed();

  const QuantizeRequest& request_;
  LoadedModel loaded_;
  EngineModel floats_;
  FillElements fill_;
  std::optional<Engine> engine_;
  SessionOptions session_;
  std::vector<QuantLayer> layers_;
  std::vector<std::vector<std::string>> names_;
  QdqPlan plan_;
  std::int64_t calibrated_ = 0;  // samples
  std::vector<bool> keep_;
  QuantizeOutcome out_;
};

Status Quantizing::prepare() {
  ModelOptions options = request_.model;
  auto loaded = load(options);
  if (!loaded) return tl::unexpected(loaded.error());
  loaded_ = std::move(*loaded);
  if (auto status = check_not_quantized(loaded_.model); !status) return status;
  layers_ = find_quant_layers(loaded_.model);
  if (layers_.empty())
    return failure("there is no layer to quantize: no convolution or product with stored weights");
  names_ = layer_node_names(loaded_.model, layers_);
  auto floats = engine_model(loaded_, request_.model, request_.data.data.seed);
  if (!floats) return tl::unexpected(floats.error());
  floats_ = std::move(*floats);
  if (request_.model.path.starts_with(zoo::kPrefix))
    fill_ = zoo::random_weights(loaded_.model, request_.data.data.seed);
  auto engine = request_.engine.load();
  if (!engine) return tl::unexpected(engine.error());
  engine_ = std::move(*engine);
  auto session = request_.engine.session();
  if (!session) return tl::unexpected(session.error());
  session_ = std::move(*session);
  for (const QuantLayer& layer : layers_)
    out_.layers.push_back({.path = layer.path, .block = layer.block, .drop = {}});
  return {};
}

Status Quantizing::find_ranges() {
  Calibration calibration;
  if (!request_.ranges.empty()) {
    auto read = read_calibration(request_.ranges);
    if (!read) return tl::unexpected(read.error());
    calibration = std::move(*read);
  } else {
    CalibrateRun run;
    run.model = request_.model;
    run.data = request_.data;
    if (run.data.data.samples == 0) run.data.data.samples = kCalibration;
    run.engine = request_.engine;
    auto result = run_calibration(run);
    if (!result) return tl::unexpected(result.error());
    if (result->interrupted) return failure("stopped while ranges were being measured");
    calibration = std::move(result->calibration);
  }
  calibrated_ = static_cast<std::int64_t>(calibration.samples);
  out_.random = calibration.random || request_.data.data.random;
  const RangeOptions choice = request_.choice.value_or(calibration.choice);
  for (const TensorSketch& tensor : calibration.tensors) {
    auto range = choose_range(tensor.sketch, choice);
    if (!range) return failure(fmt::format("{}: {}", tensor.name, range.error().message));
    plan_.ranges[tensor.name] = *range;
  }
  plan_.fill = fill_;
  plan_.reduce_range = cuts_off_products(read_machine().isa);
  out_.reduced_range = plan_.reduce_range;
  return {};
}

// Samples after those that were calibrated on; of a small folder, whatever there is.
Result<Dataset> Quantizing::held_out(std::int64_t samples) const {
  DataOptions data = request_.data;
  data.data.samples = samples;
  data.data.offset += calibrated_;
  auto set = data.open(loaded_.model);
  if (set && set->count() > 0) return set;
  if (data.data.random) return set;
  return failure(fmt::format(
      "{} has no samples behind the {} that ranges were measured on: answers cannot be judged on "
      "samples of their own; give --samples fewer",
      data.path, calibrated_));
}

Result<std::string> Quantizing::made(const std::vector<bool>& keep_float, QuantizedModel* kept) {
  plan_.keep_float = keep_float;
  auto model = quantized(loaded_.model, layers_, plan_);
  if (!model) return tl::unexpected(model.error());
  WriteOptions write;
  write.fill = fill_;
  auto bytes = onnx_bytes(model->model, write);
  if (bytes && kept != nullptr) *kept = std::move(*model);
  return bytes;
}

Result<std::vector<SampleScore>> Quantizing::judged(const std::vector<bool>& keep_float) {
  if (StopOnInterrupt::stopped()) return failure("stopped; nothing was written");
  auto bytes = made(keep_float);
  if (!bytes) return tl::unexpected(bytes.error());
  auto data = held_out(request_.held_out);
  if (!data) return tl::unexpected(data.error());
  ModelSource source;
  source.bytes.model = *bytes;
  return compare_models(*engine_, floats_.source(), source, *data, session_,
                        &StopOnInterrupt::flag());
}

Result<std::vector<double>> Quantizing::drops() const {
  auto data = held_out(std::min(kDropSamples, request_.held_out));
  if (!data) return tl::unexpected(data.error());
  SensitivityOptions options;
  options.session = session_;
  options.session.optimization = STRATA_OPT_BASIC;
  options.stop = &StopOnInterrupt::flag();
  auto measured =
      measure_sensitivity(*engine_, loaded_.model, layers_, plan_.ranges, *data, fill_, options);
  if (!measured) return tl::unexpected(measured.error());
  std::vector<double> out;
  for (const LayerScore& layer : measured->layers)
    out.push_back(drop(Quality::Sqnr, layer.alone, measured->baseline).value_or(0));
  return out;
}

Status Quantizing::time_layers(const ModelSource& int8, bool floats) {
  auto inputs = random_inputs(loaded_.model, request_.data.data.seed);
  if (!inputs) return tl::unexpected(inputs.error());
  TimingOptions options;
  options.session = session_;
  options.seconds = kLayerSeconds;
  options.nodes = loaded_.model.graph().nodes.size();
  options.stop = &StopOnInterrupt::flag();
  auto seconds =
      layer_seconds(*engine_, floats ? floats_.source() : int8, *inputs, names_, options);
  if (!seconds) return tl::unexpected(seconds.error());
  for (std::size_t l = 0; l < layers_.size(); ++l)
    (floats ? out_.layers[l].float_seconds : out_.layers[l].int8_seconds) = (*seconds)[l];
  return {};
}

Status Quantizing::choose_layers() {
  keep_.assign(layers_.size(), false);
  const bool automatic = request_.keep_float == std::vector<std::string>{"auto"};
  if (!automatic) {
    if (!request_.keep_float.empty() && request_.keep_float != std::vector<std::string>{"none"}) {
      auto chosen = select_layers(loaded_.model, layers_, request_.keep_float);
      if (!chosen) return tl::unexpected(chosen.error());
      keep_ = std::move(*chosen);
    }
    return {};
  }
  auto all = judged(keep_);
  if (!all) return tl::unexpected(all.error());
  if (request_.target.met_by(*all)) {
    out_.met = true;
    out_.tried = 1;
    return {};
  }
  auto bytes = made(keep_);
  if (!bytes) return tl::unexpected(bytes.error());
  ModelSource int8;
  int8.bytes.model = *bytes;
  for (const bool floats : {true, false})
    if (auto status = time_layers(int8, floats); !status) return status;
  auto amounts = drops();
  if (!amounts) return tl::unexpected(amounts.error());
  std::vector<double> saved;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    out_.layers[l].drop = (*amounts)[l];
    saved.push_back(out_.layers[l].float_seconds - out_.layers[l].int8_seconds);
  }
  auto kept = choose_kept(*amounts, saved, request_.target,
                          [&](const std::vector<bool>& keep) { return judged(keep); });
  if (!kept) return tl::unexpected(kept.error());
  keep_ = kept->keep_float;
  out_.met = kept->met;
  out_.tried = kept->tried + 1;
  return {};
}

Status Quantizing::write(const std::vector<bool>& keep_float) {
  QuantizedModel model;
  auto bytes = made(keep_float, &model);
  if (!bytes) return tl::unexpected(bytes.error());
  for (std::size_t l = 0; l < layers_.size(); ++l) out_.layers[l].int8 = model.int8[l];
  out_.int8_nodes = model.int8_nodes;
  WriteOptions write;
  write.fill = fill_;
  if (auto status = write_onnx(model.model, request_.output, write); !status) return status;
  const std::filesystem::path path(request_.output);
  out_.exclude = (path.parent_path() / path.stem()).string() + ".exclude.txt";
  auto list = OutputFile::create(out_.exclude);
  if (!list) return tl::unexpected(list.error());
  for (const std::string& name : model.excluded)
    if (auto status = list->write(name + "\n"); !status) return status;
  if (auto status = list->commit(); !status) return status;
  std::error_code error;
  out_.int8_bytes = static_cast<std::int64_t>(std::filesystem::file_size(request_.output, error));
  out_.float_bytes =
      floats_.path.empty()
          ? static_cast<std::int64_t>(floats_.bytes.size())
          : static_cast<std::int64_t>(std::filesystem::file_size(floats_.path, error));
  return {};
}

Status Quantizing::compare_speed() {
  auto scratch = ScratchFolder::create();
  if (!scratch) return tl::unexpected(scratch.error());
  auto inputs = random_inputs(loaded_.model, request_.data.data.seed);
  if (!inputs) return tl::unexpected(inputs.error());
  Variant variant;
  variant.model = loaded_.model.path;
  variant.engine = request_.engine.engine;
  variant.engine_path = request_.engine.path;
  variant.session = session_;
  variant.inputs = *scratch / "inputs.npz";
  if (auto status = write_npz(variant.inputs, *inputs); !status) return status;
  variant.file = floats_.path;
  if (variant.file.empty()) {
    variant.file = *scratch / "floats.onnx";
    auto file = OutputFile::create(variant.file);
    if (!file) return tl::unexpected(file.error());
    if (auto status = file->write(floats_.bytes); !status) return status;
    if (auto status = file->commit(); !status) return status;
  }
  Variant int8 = variant;
  int8.file = request_.output;
  int8.stored = "int8";
  BenchOptions method;
  method.max_seconds = request_.seconds;
  method.limits.stop = &StopOnInterrupt::flag();
  method.answers = {1e30, -1e30, 0, 0};  // judged already, on more samples
  auto bench = run_bench({variant, int8}, method);
  if (!bench) return tl::unexpected(bench.error());
  out_.bench = std::move(*bench);
  for (const bool floats : {true, false})
    if (auto status = time_layers({.path = request_.output}, floats); !status) return status;
  return {};
}

Result<QuantizeOutcome> Quantizing::run() {
  const StopOnInterrupt interrupt;
  if (auto status = prepare(); !status) return tl::unexpected(status.error());
  if (auto status = find_ranges(); !status) return tl::unexpected(status.error());
  if (auto status = choose_layers(); !status) return tl::unexpected(status.error());
  if (out_.met == false)
    return failure(
        fmt::format("{}: the answers do not meet the target, however many layers are kept in "
                    "floats; nothing was written. Try --method mse or percentile, or ask for less",
                    loaded_.model.path),
        ErrorKind::Budget);
  auto scores = judged(keep_);
  if (!scores) return tl::unexpected(scores.error());
  out_.scores = std::move(*scores);
  if (auto status = write(keep_); !status) return tl::unexpected(status.error());
  if (request_.time && !StopOnInterrupt::stopped())
    if (auto status = compare_speed(); !status) return tl::unexpected(status.error());
  return std::move(out_);
}

}  // namespace

Result<QuantizeOutcome> run_quantize(const QuantizeRequest& request) {
  return Quantizing(request).run();
}

}  // namespace strata::cli
