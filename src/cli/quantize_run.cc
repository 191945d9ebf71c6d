#include "cli/quantize_run.h"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include <fmt/format.h>

#include "cli/interrupt.h"
#include "cli/quantize_samples.h"
#include "cli/quantize_speed.h"
#include "cli/scratch_folder.h"
#include "profile/hash.h"
#include "quant/agreement.h"
#include "strata/zoo/weights.h"
#include "strata/zoo/zoo.h"
#include "write/output_file.h"

namespace strata::cli {

namespace {

constexpr std::int64_t kDropSamples = 8;  // that single layers are judged on, for `auto`
constexpr double kDefaultSqnr = 20;       // dB: noise of a hundredth of the answers' power
constexpr double kWorthATrial = 0.02;     // of the layers' time, that slow ones lose together
constexpr double kSlower = 1.1;           // times that int8 takes, to be worth a trial in floats

Status write_bytes(const std::string& path, const std::string& bytes) {
  auto file = OutputFile::create(path);
  if (!file) return tl::unexpected(file.error());
  if (auto status = file->write(bytes); !status) return status;
  return file->commit();
}

// With the files that weights are in.
std::int64_t stored_bytes(const Model& model, const std::string& path) {
  std::error_code error;
  auto total = static_cast<std::int64_t>(std::filesystem::file_size(path, error));
  std::vector<std::string> seen;
  for (const Graph& graph : model.graphs)
    for (const Tensor& tensor : graph.tensors) {
      if (tensor.data == nullptr || tensor.data->store != TensorData::Store::External) continue;
      const auto file = std::filesystem::path(path).parent_path() / tensor.data->location;
      if (std::find(seen.begin(), seen.end(), file.string()) != seen.end()) continue;
      seen.push_back(file.string());
      if (const auto more = std::filesystem::file_size(file, error); !error)
        total += static_cast<std::int64_t>(more);
    }
  return total;
}

class Quantizing {
 public:
  explicit Quantizing(const QuantizeRequest& request) : request_(request) {}
  Result<QuantizeOutcome> run();

 private:
  const Model& original() const { return open_ ? open_->model : loaded_.model; }
  bool stopped() const { return StopOnInterrupt::stopped(); }
  Status prepare();
  Status load_models();
  Status prepare_speed();
  // Made in memory; the bytes.
  Result<std::string> made(const std::vector<bool>& keep_float, QuantizedModel* kept = nullptr);
  Result<std::vector<SampleScore>> judged(const std::vector<bool>& keep_float);
  Status find_named_layers();
  Status choose_layers();
  Status keep_for_answers();
  Status keep_for_speed();
  Result<bool> is_faster(const std::vector<bool>& keep);
  Result<std::vector<double>> drops() const;
  Status time_layers(const ModelSource& int8);
  Status judge();
  Status write();
  Status compare_speed();

  const QuantizeRequest& request_;
  LoadedModel loaded_;               // with sizes, as it is run
  std::optional<LoadedModel> open_;  // as it is written: a file's own open sizes stay
  EngineModel floats_;
  FillElements fill_;
  std::optional<Engine> engine_;
  SessionOptions session_;
  std::vector<QuantLayer> layers_;
  std::vector<std::vector<std::string>> names_;
  std::optional<QuantizeSamples> samples_;
  std::optional<ScratchFolder> scratch_;
  std::optional<QuantizeSpeed> speed_;
  std::string floats_file_;
  QdqPlan plan_;
  std::vector<bool> keep_;
  bool judged_ = false;
  QuantizeOutcome out_;
};

Status Quantizing::load_models() {
  auto loaded = load_one_item(request_.model);
  if (!loaded) return tl::unexpected(loaded.error());
  loaded_ = std::move(*loaded);
  if (Status status = check_has_weights(loaded_.model); !status) return status;
  if (auto status = check_not_quantized(loaded_.model); !status)
    return failure(fmt::format("{}: {}", request_.model.path, status.error().message));
  layers_ = find_quant_layers(loaded_.model);
  if (layers_.empty())
    return failure(
        fmt::format("{}: there is no layer to quantize: no convolution or product with "
                    "stored weights of f32",
                    request_.model.path));
  out_.random_weights = request_.model.path.starts_with(zoo::kPrefix);
  if (out_.random_weights) {
    fill_ = zoo::random_weights(loaded_.model, request_.data.data.seed);
    return {};
  }
  ModelOptions as_stored;
  as_stored.path = request_.model.path;
  as_stored.allow_outside_data = request_.model.allow_outside_data;
  auto open = load(as_stored);
  // A network whose layers are only known with sizes is written with them.
  if (open && find_quant_layers(open->model).size() == layers_.size() &&
      open->model.graph().nodes.size() == loaded_.model.graph().nodes.size())
    open_ = std::move(*open);
  return {};
}

Status Quantizing::prepare() {
  if (auto status = load_models(); !status) return status;
  names_ = layer_node_names(loaded_.model, layers_);
  if (auto status = find_named_layers(); !status) return status;
  const std::filesystem::path path(request_.output);
  out_.exclude = (path.parent_path() / path.stem()).string() + ".exclude.txt";
  // Before the work, not after it.
  for (const std::string& file : {request_.output, out_.exclude})
    if (auto output = OutputFile::create(file); !output) return tl::unexpected(output.error());
  auto floats = engine_model(loaded_, request_.model, request_.data.data.seed);
  if (!floats) return tl::unexpected(floats.error());
  floats_ = std::move(*floats);
  auto engine = request_.engine.load();
  if (!engine) return tl::unexpected(engine.error());
  engine_ = std::move(*engine);
  auto session = request_.engine.session();
  if (!session) return tl::unexpected(session.error());
  session_ = std::move(*session);
  auto samples = QuantizeSamples::find(request_, loaded_);
  if (!samples) return tl::unexpected(samples.error());
  samples_ = std::move(*samples);
  plan_.ranges = samples_->ranges();
  plan_.fill = fill_;
  plan_.reduce_range = cuts_off_products(read_machine().isa);
  out_.model = request_.model.path;
  out_.hash = graph_hash(loaded_.model);
  out_.engine = fmt::format("{} {}", engine_->name(), engine_->release());
  out_.ranges = samples_->words();
  out_.random_data = samples_->random();
  out_.reduced_range = plan_.reduce_range;
  for (const QuantLayer& layer : layers_)
    out_.layers.push_back(
        {.path = layer.path, .block = layer.block, .reason = {}, .drop = std::nullopt});
  return {};
}

Status Quantizing::prepare_speed() {
  if (speed_) return {};
  auto scratch = ScratchFolder::create();
  if (!scratch) return tl::unexpected(scratch.error());
  scratch_.emplace(std::move(*scratch));
  auto speed = QuantizeSpeed::prepare(request_, loaded_, session_, *scratch_ / "inputs.npz");
  if (!speed) return tl::unexpected(speed.error());
  floats_file_ = floats_.path;
  if (floats_file_.empty()) {
    floats_file_ = *scratch_ / "floats.onnx";
    if (auto status = write_bytes(floats_file_, floats_.bytes); !status) return status;
  }
  speed_ = std::move(*speed);
  return {};
}

Result<std::string> Quantizing::made(const std::vector<bool>& keep_float, QuantizedModel* kept) {
  plan_.keep_float = keep_float;
  auto model = quantized(original(), layers_, plan_);
  if (!model) return failure(fmt::format("{}: {}", request_.model.path, model.error().message));
  WriteOptions write;
  write.fill = fill_;
  auto bytes = onnx_bytes(model->model, write);
  if (bytes && kept != nullptr) *kept = std::move(*model);
  return bytes;
}

Result<std::vector<SampleScore>> Quantizing::judged(const std::vector<bool>& keep_float) {
  auto bytes = made(keep_float);
  if (!bytes) return tl::unexpected(bytes.error());
  auto data = samples_->held_out(request_.held_out);
  if (!data) return tl::unexpected(data.error());
  out_.data = data->describe();
  ModelSource source;
  source.bytes.model = *bytes;
  auto scores =
      compare_models(*engine_, floats_.source(), source, *data, session_, &StopOnInterrupt::flag());
  if (stopped()) return failure("stopped; nothing was written");
  return scores;
}

Result<std::vector<double>> Quantizing::drops() const {
  auto data = samples_->held_out(std::min(kDropSamples, request_.held_out));
  if (!data) return tl::unexpected(data.error());
  SensitivityOptions options;
  options.session = session_;
  options.session.optimization = STRATA_OPT_BASIC;
  options.stop = &StopOnInterrupt::flag();
  auto measured =
      measure_sensitivity(*engine_, loaded_.model, layers_, plan_.ranges, *data, fill_, options);
  if (stopped()) return failure("stopped; nothing was written");
  if (!measured) return tl::unexpected(measured.error());
  std::vector<double> out;
  for (const LayerScore& layer : measured->layers)
    out.push_back(drop(Quality::Sqnr, layer.alone, measured->baseline).value_or(0));
  return out;
}

Status Quantizing::time_layers(const ModelSource& int8) {
  if (auto status = prepare_speed(); !status) return status;
  auto seconds = speed_->layers(*engine_, floats_.source(), int8, names_);
  if (!seconds) return tl::unexpected(seconds.error());
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    out_.layers[l].float_seconds = seconds->base[l];
    out_.layers[l].int8_seconds = seconds->other[l];
  }
  return {};
}

Status Quantizing::find_named_layers() {
  keep_.assign(layers_.size(), false);
  if (request_.automatic() || request_.keep_float.empty() ||
      request_.keep_float == std::vector<std::string>{"none"})
    return {};
  auto chosen = select_layers(loaded_.model, layers_, request_.keep_float);
  if (!chosen) return tl::unexpected(chosen.error());
  keep_ = std::move(*chosen);
  return {};
}

Status Quantizing::choose_layers() {
  for (std::size_t l = 0; l < keep_.size(); ++l)
    if (keep_[l]) out_.layers[l].reason = "named";
  if (!request_.automatic()) return {};
  if (auto status = keep_for_answers(); !status) return status;
  return request_.time ? keep_for_speed() : Status{};
}

Status Quantizing::keep_for_answers() {
  out_.target = request_.target;
  if (!out_.target->min_sqnr && !out_.target->max_drop) out_.target->min_sqnr = kDefaultSqnr;
  auto all = judged(keep_);
  if (!all) return tl::unexpected(all.error());
  out_.tried = 1;
  if (out_.target->met_by(*all)) {
    out_.scores = std::move(*all);
    judged_ = true;
    return {};
  }
  auto bytes = made(keep_);
  if (!bytes) return tl::unexpected(bytes.error());
  ModelSource int8;
  int8.bytes.model = *bytes;
  if (auto status = time_layers(int8); !status) return status;
  auto amounts = drops();
  if (!amounts) return tl::unexpected(amounts.error());
  std::vector<double> saved;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    QuantizedLayer& layer = out_.layers[l];
    layer.drop = (*amounts)[l];
    const bool known = layer.float_seconds > 0 && layer.int8_seconds > 0;
    saved.push_back(known ? layer.float_seconds - layer.int8_seconds : 0);
  }
  auto kept = choose_kept(*amounts, saved, *out_.target,
                          [&](const std::vector<bool>& keep) { return judged(keep); });
  if (!kept) return tl::unexpected(kept.error());
  out_.tried += kept->tried;
  if (!kept->met)
    return failure(
        fmt::format("{}: the answers do not meet the target, however many layers are kept in "
                    "floats; nothing was written. Try --method mse or percentile, or ask for less",
                    loaded_.model.path),
        ErrorKind::Budget);
  keep_ = std::move(kept->keep_float);
  for (std::size_t l = 0; l < keep_.size(); ++l)
    if (keep_[l]) out_.layers[l].reason = "answers";
  out_.scores = std::move(kept->scores);
  judged_ = true;
  return {};
}

// Layers that int8 makes slower go back to floats where that makes the whole model faster, for
// certain.
Status Quantizing::keep_for_speed() {
  auto bytes = made(keep_);
  if (!bytes) return tl::unexpected(bytes.error());
  ModelSource int8;
  int8.bytes.model = *bytes;
  if (auto status = time_layers(int8); !status) return status;
  std::vector<double> lost(layers_.size(), 0);
  double all = 0;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const QuantizedLayer& layer = out_.layers[l];
    all += std::max(layer.int8_seconds, 0.0);
    if (!keep_[l] && layer.float_seconds > 0 && layer.int8_seconds > kSlower * layer.float_seconds)
      lost[l] = layer.int8_seconds - layer.float_seconds;
  }
  if (std::accumulate(lost.begin(), lost.end(), 0.0) < kWorthATrial * all) return {};
  std::vector<SampleScore> scores;
  auto slow = choose_slow(lost, [&](std::span<const std::size_t> trial) -> Result<bool> {
    std::vector<bool> keep = keep_;
    for (const std::size_t l : trial) keep[l] = true;
    if (std::find(keep.begin(), keep.end(), false) == keep.end()) return false;
    auto faster = is_faster(keep);
    if (!faster || !*faster) return faster;
    auto judgement = judged(keep);
    if (!judgement) return tl::unexpected(judgement.error());
    ++out_.tried;
    scores = std::move(*judgement);
    return out_.target->met_by(scores);
  });
  if (!slow) return tl::unexpected(slow.error());
  if (slow->empty()) return {};
  for (const std::size_t l : *slow) {
    keep_[l] = true;
    out_.layers[l].reason = "speed";
  }
  out_.scores = std::move(scores);
  return {};
}

Result<bool> Quantizing::is_faster(const std::vector<bool>& keep) {
  const std::string now = *scratch_ / "now.onnx", other = *scratch_ / "other.onnx";
  for (const auto& [file, kept] : {std::pair(now, keep_), std::pair(other, keep)}) {
    auto bytes = made(kept);
    if (!bytes) return tl::unexpected(bytes.error());
    if (auto status = write_bytes(file, *bytes); !status) return tl::unexpected(status.error());
  }
  auto bench = speed_->compare(now, other);
  if (!bench) return tl::unexpected(bench.error());
  if (stopped()) return failure("stopped; nothing was written");
  return bench->speed_ups.size() == 2 && bench->speed_ups[1] &&
         bench->speed_ups[1]->interval.low > 1;
}

// Without samples for it, a model that the user chose the layers of is written all the same.
Status Quantizing::judge() {
  if (judged_) return {};
  if (auto data = samples_->held_out(1); !data && !request_.automatic()) {
    out_.notes.push_back(fmt::format("answers were not judged: {}", data.error().message));
    return {};
  }
  auto scores = judged(keep_);
  if (!scores) return tl::unexpected(scores.error());
  out_.scores = std::move(*scores);
  return {};
}

Status Quantizing::write() {
  if (stopped()) return failure("stopped; nothing was written");
  QuantizedModel model;
  auto bytes = made(keep_, &model);
  if (!bytes) return tl::unexpected(bytes.error());
  for (std::size_t l = 0; l < layers_.size(); ++l) out_.layers[l].int8 = model.int8[l];
  out_.int8_nodes = model.int8_nodes;
  out_.excluded = model.excluded;
  // Both are complete before either has its name.
  auto list = OutputFile::create(out_.exclude);
  if (!list) return tl::unexpected(list.error());
  for (const std::string& name : model.excluded)
    if (auto status = list->write(name + "\n"); !status) return status;
  if (auto status = list->close(); !status) return status;
  if (auto status = write_bytes(request_.output, *bytes); !status) return status;
  if (auto status = list->commit(); !status) return status;
  out_.int8_bytes = static_cast<std::int64_t>(bytes->size());
  out_.float_bytes = floats_.path.empty() ? static_cast<std::int64_t>(floats_.bytes.size())
                                          : stored_bytes(loaded_.model, floats_.path);
  return {};
}

Status Quantizing::compare_speed() {
  if (auto status = time_layers({.path = request_.output}); !status) return status;
  if (stopped()) return {};
  auto bench = speed_->compare(floats_file_, request_.output);
  if (!bench) return tl::unexpected(bench.error());
  out_.bench = std::move(*bench);
  return {};
}

Result<QuantizeOutcome> Quantizing::run() {
  const StopOnInterrupt interrupt;
  if (auto status = prepare(); !status) return tl::unexpected(status.error());
  if (auto status = choose_layers(); !status) return tl::unexpected(status.error());
  if (auto status = judge(); !status) return tl::unexpected(status.error());
  if (auto status = write(); !status) return tl::unexpected(status.error());
  if (request_.time)
    if (auto status = compare_speed(); !status)
      out_.notes.push_back(fmt::format("times were not measured: {}", status.error().message));
  out_.interrupted = stopped();
  return std::move(out_);
}

}  // namespace

Result<QuantizeOutcome> run_quantize(const QuantizeRequest& request) {
  return Quantizing(request).run();
}

}  // namespace strata::cli
