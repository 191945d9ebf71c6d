#include "cli/sensitivity_run.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "base/mapped_file.h"
#include "cli/fingerprint.h"
#include "cli/interrupt.h"
#include "cli/metric_command.h"
#include "cli/progress_bar.h"
#include "profile/hash.h"
#include "strata/quant/calibrate.h"
#include "strata/quant/ranges_file.h"
#include "strata/zoo/weights.h"
#include "strata/zoo/zoo.h"
#include "write/output_file.h"

namespace strata::cli {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kKeepEvery{10};

// Rows of scores of classes, as far as sizes are known before anything is run.
bool may_have_classes(const Model& model) {
  const Graph& graph = model.graph();
  for (const TensorId id : graph.outputs) {
    if (id == kNone) continue;
    const TypeInfo& type = graph.tensors[id].type;
    if (!type.ranked || type.dims.size() == 2 || type.dims.size() == 3) return true;
  }
  return false;
}

struct RangesFound {
  TensorRanges ranges;
  ActivationSqnr sqnr;
  std::string words;
};

Status choose(RangesFound& found, const std::string& name, const Sketch& sketch,
              const RangeOptions& choice) {
  auto range = choose_range(sketch, choice);
  if (!range) return failure(fmt::format("{}: {}", name, range.error().message));
  found.ranges[name] = *range;
  if (const auto sqnr = sqnr_db(sketch, quantization(*range, choice.scheme)))
    found.sqnr[name] = *sqnr;
  return {};
}

std::string choice_words(const RangeOptions& choice) {
  std::string words(name(choice.choice));
  if (choice.choice == RangeChoice::Percentile) words += fmt::format(" {}", choice.percentile);
  return words;
}

class Running {
 public:
  Running(const SensitivityRequest& request, SensitivityRun start) : request_(request) {
    outcome_.run = std::move(start);
  }

  Result<SensitivityOutcome> run();

 private:
  SensitivityRun& report() { return outcome_.run; }
  RangeOptions choice(const RangeOptions& otherwise) const {
    RangeOptions out = request_.choice.value_or(otherwise);
    out.scheme = {.bits = request_.rounding.activation_bits, .symmetric = false};
    return out;
  }
  Status check_request() const;
  Result<RangesFound> ranges_from_file() const;
  Result<RangesFound> ranges_from_samples();
  Result<std::string> fingerprint(const TensorRanges& ranges) const;
  Status read_journal();
  Status write_journal() const;
  // Tensors whose ranges are needed.
  std::vector<TensorId> tensors() const;
  Status measure_parts_too(SensitivityOptions options, const TensorRanges& ranges);
  void describe(const RangesFound& ranges);

  const SensitivityRequest& request_;
  SensitivityOutcome outcome_;
  std::optional<LoadedModel> loaded_;
  std::vector<QuantLayer> layers_;
  std::optional<Dataset> data_;
  std::optional<Engine> engine_;
  SessionOptions session_;
  EngineModel engine_model_;
  FillElements fill_;
  std::optional<std::vector<std::int64_t>> labels_;
  std::optional<Sensitivity> earlier_;  // of the journal
  double earlier_seconds_ = 0;
};

Status Running::check_request() const {
  const Quality quality = request_.quality;
  if (quality == Quality::Accuracy && request_.data.labels.empty())
    return failure("accuracy needs labels: give them with --labels FILE", ErrorKind::Usage);
  const bool classes =
      quality == Quality::Kl || quality == Quality::Top1 || quality == Quality::Accuracy;
  if (classes && !may_have_classes(loaded_->model))
    return failure(fmt::format("{}: no output looks like scores of classes, which --metric {} "
                               "needs; take sqnr or cosine, or give --metric-cmd",
                               request_.model.path, name(quality)),
                   ErrorKind::Usage);
  return {};
}

Result<RangesFound> Running::ranges_from_file() const {
  auto calibration = read_calibration(request_.ranges);
  if (!calibration) return tl::unexpected(calibration.error());
  RangesFound found;
  const RangeOptions how = choice(calibration->choice);
  found.words = fmt::format("{} of {}{}", choice_words(how), request_.ranges,
                            calibration->random ? ", which is of RANDOM samples" : "");
  std::map<std::string_view, const Sketch*> sketches;
  for (const TensorSketch& tensor : calibration->tensors) sketches[tensor.name] = &tensor.sketch;
  for (const TensorId id : tensors()) {
    const std::string name(loaded_->model.graph().tensors[id].name);
    const auto sketch = sketches.find(name);
    if (sketch == sketches.end())
      return failure(
          fmt::format("{}: it lacks the tensor \"{}\" of {}; make it for this model "
                      "with `strata calibrate`",
                      request_.ranges, name, request_.model.path));
    if (auto status = choose(found, name, *sketch->second, how); !status)
      return tl::unexpected(status.error());
  }
  return found;
}

Result<RangesFound> Running::ranges_from_samples() {
  const Graph& graph = loaded_->model.graph();
  std::vector<Watched> watched;
  for (const TensorId id : tensors()) {
    Watched& one = watched.emplace_back();
    one.tensor = graph.tensors[id].name;
    for (const QuantLayer& layer : layers_)
      if (layer.output == id) one.layer = layer.path;
  }
  ProgressBar bar("calibrating", 0, data_->count());
  CalibrateOptions options;
  options.session = session_;
  options.stop = &StopOnInterrupt::flag();
  options.progress = [&](std::int64_t done) { bar.show(done); };
  auto seen = calibrate(*engine_, engine_model_.source(), loaded_->model, *data_, watched, options);
  if (!seen) {
    Error error = seen.error();
    if (error.message.ends_with("--allow-nonfinite")) error.message += " of `strata calibrate`";
    return tl::unexpected(std::move(error));
  }
  RangesFound found;
  if (seen->samples < data_->count()) return found;  // stopped
  const RangeOptions how = choice({});
  found.words = fmt::format("{} of the same {} samples", choice_words(how), seen->samples);
  for (std::size_t i = 0; i < watched.size(); ++i)
    if (auto status = choose(found, watched[i].tensor, seen->sketches[i], how); !status)
      return tl::unexpected(status.error());
  return found;
}

// Two runs with the same one give a layer the same scores, unless files of the data change.
Result<std::string> Running::fingerprint(const TensorRanges& ranges) const {
  Fingerprint all;
  if (Status status = add_model(all, *loaded_, engine_model_); !status)
    return tl::unexpected(status.error());
  add_data(all, *loaded_, *data_);
  add_engine(all, *engine_, session_);
  // Those of parts apart play no part in the scores of layers, which alone are gone on with.
  for (const TensorId id : rounded_tensors(layers_)) {
    const auto found = ranges.find(loaded_->model.graph().tensors[id].name);
    if (found == ranges.end()) continue;
    const auto& [name, range] = *found;
    all.add(name);
    all.add_number(std::bit_cast<std::uint32_t>(range.low));
    all.add_number(std::bit_cast<std::uint32_t>(range.high));
  }
  const Rounding& rounding = request_.rounding;
  all.add_number((rounding.weights ? 2u : 0u) + (rounding.activations ? 1u : 0u));
  all.add_number(static_cast<std::uint64_t>(rounding.weight_bits));
  all.add_number(static_cast<std::uint64_t>(rounding.activation_bits));
  all.add_number(static_cast<std::uint64_t>(rounding.choice));
  if (labels_)
    for (const std::int64_t label : *labels_) all.add_number(static_cast<std::uint64_t>(label));
  all.add(request_.command);
  return all.text();
}

Status Running::read_journal() {
  std::error_code error;
  if (request_.fresh || !std::filesystem::exists(request_.journal, error)) return {};
  auto file = MappedFile::open(request_.journal);
  if (!file) return tl::unexpected(file.error());
  auto scores = sensitivity_scores_from_json((*file)->bytes(), request_.journal);
  if (!scores) return tl::unexpected(scores.error());
  if (scores->run != report().run)
    return failure(
        fmt::format("{}: is of another model, other samples or other options; name "
                    "another file with -o, or write over it with --fresh",
                    request_.journal));
  std::map<std::string_view, LayerScore*> by_path;
  for (std::size_t l = 0; l < scores->paths.size(); ++l)
    by_path.emplace(scores->paths[l], &scores->result.layers[l]);
  Sensitivity& earlier = earlier_.emplace();
  earlier.passes = scores->result.passes;
  earlier.seconds = scores->result.seconds;
  earlier.baseline = std::move(scores->result.baseline);
  earlier.joint = std::move(scores->result.joint);
  earlier.layers.resize(layers_.size());
  const auto samples = static_cast<std::size_t>(data_->count());
  std::size_t begun = 0, whole = 0;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    if (const auto found = by_path.find(layers_[l].path); found != by_path.end())
      earlier.layers[l] = std::move(*found->second);
    begun += earlier.layers[l].alone.empty() ? 0 : 1;
    whole += earlier.layers[l].alone.size() >= samples ? 1 : 0;
  }
  earlier_seconds_ = scores->seconds;
  if (begun > 0)
    fmt::print(stderr, "going on with {} of {} layers, {} of them on all samples\n", begun,
               layers_.size(), whole);
  report().result = earlier;
  return {};
}

Status Running::write_journal() const {
  auto file = OutputFile::create(request_.journal);
  if (!file) return tl::unexpected(file.error());
  if (Status status = file->write(sensitivity_to_json(outcome_.run)); !status) return status;
  return file->commit();
}

std::vector<TensorId> Running::tensors() const {
  std::vector<TensorId> ids = rounded_tensors(layers_);
  if (request_.parts)
    for (const TensorId id : quant_tensors(loaded_->model, layers_))
      if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  return ids;
}

// On all samples, whatever the budget; not kept for going on.
Status Running::measure_parts_too(SensitivityOptions options, const TensorRanges& ranges) {
  constexpr std::int64_t kShown = 1000;
  ProgressBar bar("one part at a time", 0, kShown);
  options.progress = [&](double share) {
    bar.show(static_cast<std::int64_t>(share * static_cast<double>(kShown)));
  };
  auto parts = measure_parts(*engine_, loaded_->model, layers_, ranges, *data_, fill_, options);
  if (!parts) return tl::unexpected(parts.error());
  report().parts = std::move(*parts);
  return {};
}

void Running::describe(const RangesFound& ranges) {
  SensitivityRun& run = report();
  run.model = request_.model.path;
  run.hash = graph_hash(loaded_->model);
  run.engine = fmt::format("{} {}", engine_->name(), engine_->release());
  run.data = data_->describe();
  run.ranges = request_.rounding.activations ? ranges.words : "none are needed";
  run.random_data = data_->random();
  run.random_weights = request_.model.path.starts_with(zoo::kPrefix);
  run.samples = data_->count();
  run.quality = request_.quality;
  run.rounding = request_.rounding;
  run.budgeted = request_.budget < 1 || request_.budget_seconds > 0;
  run.result.layers.resize(layers_.size());
  for (const QuantLayer& layer : layers_)
    run.layers.push_back(
        {layer.path, layer.block, operators_text(loaded_->model, layer), layer_words(layer)});
}

Result<SensitivityOutcome> Running::run() {
  auto loaded = load_one_item(request_.model);
  if (!loaded) return tl::unexpected(loaded.error());
  loaded_.emplace(std::move(*loaded));
  if (Status status = check_has_weights(loaded_->model); !status)
    return tl::unexpected(status.error());
  if (Status status = check_not_quantized(loaded_->model); !status)
    return failure(fmt::format("{}: {}", request_.model.path, status.error().message));
  layers_ = find_quant_layers(loaded_->model);
  if (layers_.empty())
    return failure(fmt::format("{}: {}", request_.model.path, why_no_layers(loaded_->model)));
  if (Status status = check_request(); !status) return tl::unexpected(status.error());
  auto data = request_.data.open(loaded_->model);
  if (!data) return tl::unexpected(data.error());
  data_.emplace(std::move(*data));
  for (const std::string& note : data_->notes()) fmt::print(stderr, "note: {}\n", note);
  auto labels = request_.data.read_labels(*data_);
  if (!labels) return tl::unexpected(labels.error());
  labels_ = std::move(*labels);
  // Before the work, not after it.
  if (!request_.journal.empty())
    if (auto file = OutputFile::create(request_.journal); !file)
      return tl::unexpected(file.error());

  auto engine = request_.engine.load();
  if (!engine) return tl::unexpected(engine.error());
  engine_.emplace(std::move(*engine));
  auto session = request_.engine.session();
  if (!session) return tl::unexpected(session.error());
  session_ = std::move(*session);
  auto model = engine_model(*loaded_, request_.model, request_.data.data.seed);
  if (!model) return tl::unexpected(model.error());
  engine_model_ = std::move(*model);
  if (engine_model_.path.empty())
    fill_ = zoo::random_weights(loaded_->model, request_.data.data.seed);

  const auto start = Clock::now();
  const StopOnInterrupt stop;
  RangesFound ranges;
  if (request_.rounding.activations) {
    auto found = request_.ranges.empty() ? ranges_from_samples() : ranges_from_file();
    if (!found) return tl::unexpected(found.error());
    ranges = std::move(*found);
  }
  describe(ranges);
  if (StopOnInterrupt::stopped()) {
    report().result.partial = outcome_.interrupted = true;
    return std::move(outcome_);
  }
  auto identity = fingerprint(ranges.ranges);
  if (!identity) return tl::unexpected(identity.error());
  report().run = std::move(*identity);
  if (!request_.journal.empty())
    if (Status status = read_journal(); !status) return tl::unexpected(status.error());

  SensitivityOptions options;
  session_.optimization = options.session.optimization;
  options.session = session_;
  options.rounding = request_.rounding;
  options.memory_bytes = request_.memory_bytes;
  options.naive = request_.naive;
  options.leave_one_out = request_.leave_one_out;
  options.budget = request_.budget;
  options.budget_seconds = request_.budget_seconds;
  options.top = request_.top;
  options.quality = request_.quality;
  options.activation_sqnr = ranges.sqnr;
  options.labels = labels_;
  options.stop = &StopOnInterrupt::flag();
  if (!request_.command.empty()) {
    auto judge = judge_by_command(request_.command);
    if (!judge) return tl::unexpected(judge.error());
    options.command = std::move(*judge);
  }
  constexpr std::int64_t kShown = 1000;
  ProgressBar bar("one layer at a time", 0, kShown);
  options.progress = [&](double share) {
    bar.show(static_cast<std::int64_t>(std::min(share, 1.0) * static_cast<double>(kShown)));
  };
  if (earlier_) options.earlier = &*earlier_;
  const auto add_earlier = [&] {
    if (earlier_) report().result.passes += earlier_->passes;
    if (earlier_) report().result.seconds += earlier_->seconds;
    report().seconds =
        earlier_seconds_ + std::chrono::duration<double>(Clock::now() - start).count();
  };
  bool warned = false;
  auto last = Clock::now();
  const auto keep = [&](const Sensitivity& so_far) {
    report().result = so_far;
    report().result.partial = true;
    add_earlier();
    // What there is stays in memory: room may have been made until the end.
    if (const Status status = write_journal(); !status && !std::exchange(warned, true))
      fmt::print(stderr, "\nnote: {}; going on without\n", status.error().message);
    last = Clock::now();
  };
  if (!request_.journal.empty())
    options.so_far = [&](const Sensitivity& so_far) {
      if (Clock::now() - last >= kKeepEvery) keep(so_far);
    };
  auto result =
      measure_sensitivity(*engine_, loaded_->model, layers_, ranges.ranges, *data_, fill_, options);
  if (!result) return tl::unexpected(result.error());
  report().result = std::move(*result);
  add_earlier();
  add_findings(report(), layers_);
  if (request_.parts && !StopOnInterrupt::stopped())
    if (Status status = measure_parts_too(options, ranges.ranges); !status)
      return tl::unexpected(status.error());
  outcome_.interrupted = StopOnInterrupt::stopped();
  if (!request_.journal.empty())
    if (Status status = write_journal(); !status) outcome_.unwritten = status.error();
  if (!report().result.baseline.empty() && !value(request_.quality, report().result.baseline))
    return failure(
        fmt::format("{}: its outputs do not give --metric {}; take sqnr or cosine, or "
                    "give --metric-cmd",
                    request_.model.path, name(request_.quality)));
  return std::move(outcome_);
}

}  // namespace

Result<SensitivityOutcome> run_sensitivity(const SensitivityRequest& request,
                                           SensitivityRun start) {
  return Running(request, std::move(start)).run();
}

}  // namespace strata::cli
