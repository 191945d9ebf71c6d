#include "strata/task/sensitivity.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "base/output_file.h"
#include "graph/hash.h"
#include "strata/build/weights.h"
#include "strata/edit/qdq.h"
#include "task/activation_ranges.h"
#include "task/fingerprint.h"
#include "task/float_model.h"
#include "task/job_process.h"
#include "task/metric_command.h"
#include "task/opened_engine.h"
#include "task/sensitivity_journal.h"

namespace strata {

namespace {

using Clock = std::chrono::steady_clock;
constexpr double kKeepShare = 0.02;  // of the time may go into writing

// True if an output may have rows of class scores, as far as sizes are known before a run.
bool may_have_classes(const Model& model) {
  const Graph& graph = model.graph();
  for (const TensorId id : graph.outputs) {
    if (id == kNone) continue;
    const TypeInfo& type = graph.tensors[id].type;
    if (!type.ranked || type.dims.size() == 2 || type.dims.size() == 3) return true;
  }
  return false;
}

class Measuring {
 public:
  Measuring(const SensitivityRequest& request, const Observer& observer)
      : request_(request), observer_(observer) {}

  Result<SensitivityOutcome> run();

 private:
  SensitivityRun& report() { return outcome_.run; }
  Status load();
  Status check_request() const;
  Status find_ranges();
  Result<std::string> fingerprint() const;
  Status read_journal();
  Status write_journal(const std::string& path) const;
  // Tensors whose ranges are needed.
  std::vector<TensorId> tensors() const;
  Result<SensitivityOptions> measuring_options();
  void add_earlier();
  void keep(const Sensitivity& so_far);
  Status measure_parts_too(SensitivityOptions options);
  void show(std::string_view stage, double share) const;
  void describe();

  const SensitivityRequest& request_;
  const Observer& observer_;
  SensitivityOutcome outcome_;
  LoadedModel loaded_;
  std::vector<QuantLayer> layers_;
  std::optional<Dataset> data_;
  std::optional<Engine> engine_;
  SessionOptions session_;
  EngineModel engine_model_;
  FillElements fill_;
  std::optional<std::vector<std::int64_t>> labels_;
  std::optional<Sensitivity> earlier_;  // from the journal
  double earlier_seconds_ = 0;
  ActivationRanges ranges_;
  Clock::time_point start_, kept_;  // start of the work; when the journal was last written
  double keep_took_ = 0;            // seconds, the last time
  std::string unfinished_;          // the file for scores until they are complete
  bool warned_ = false;             // the user knows that the journal cannot be written
};

Status Measuring::check_request() const {
  const Quality quality = request_.quality;
  if (quality == Quality::Accuracy && request_.data.labels.empty())
    return failure(Code::NeedsLabels);
  const bool classes =
      quality == Quality::Kl || quality == Quality::Top1 || quality == Quality::Accuracy;
  if (classes && !may_have_classes(loaded_.model))
    return failure(Code::NoClasses,
                   {.model = request_.model.source.word(), .name = std::string(name_of(quality))});
  return {};
}

// Finds nothing if the job is stopped meanwhile.
Status Measuring::find_ranges() {
  if (!request_.rounding.activations) return {};
  const RangesWanted wanted{loaded_.model, request_.model.source.word(), tensors(), request_.choice,
                            request_.rounding.activation_bits};
  if (!request_.ranges.empty()) {
    auto found = ranges_from_file(wanted, request_.ranges);
    if (!found) return failure(found);
    ranges_ = std::move(*found);
    return {};
  }
  auto found = ranges_from_samples(wanted, layers_, *engine_, session_, engine_model_.source(),
                                   *data_, observer_);
  if (!found) return failure(found);
  if (*found) ranges_ = std::move(**found);
  return {};
}

// Two runs with the same fingerprint give a layer the same scores, unless files of the data change.
Result<std::string> Measuring::fingerprint() const {
  Fingerprint all;
  if (Status status = all.add_model(loaded_.model, engine_model_); !status) return failure(status);
  all.add_data(loaded_.model, *data_);
  all.add_engine(*engine_, session_);
  // Ranges that only parts need do not affect the scores of layers, and only these are resumed.
  for (const TensorId id : rounded_tensors(layers_)) {
    const auto found = ranges_.ranges.find(loaded_.model.graph().tensors[id].name);
    if (found == ranges_.ranges.end()) continue;
    const auto& [tensor, range] = *found;
    all.add(tensor);
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

Status Measuring::read_journal() {
  std::error_code error;
  if (request_.fresh) return {};
  auto scores = read_scores(unfinished_);
  if (unfinished_ != request_.journal && (!scores || scores->run != report().run))
    scores = read_scores(request_.journal);  // what is unfinished is of another run
  if (!scores && !std::filesystem::exists(request_.journal, error)) return {};
  if (!scores) return failure(scores);
  if (scores->run != report().run) return failure(Code::OtherRun, {.file = request_.journal});
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
  const auto is_same = [&](std::size_t layer) {
    return layer < layers_.size() && scores->paths[layer] == layers_[layer].path;
  };
  for (PairScore& pair : scores->result.pairs)
    if (is_same(pair.first) && is_same(pair.second)) earlier.pairs.push_back(std::move(pair));
  earlier_seconds_ = scores->seconds;
  if (begun > 0)
    observer_.say_resumed(fmt::format("going on with {} of {} layers, {} of them on all samples",
                                      begun, layers_.size(), whole));
  report().result = earlier;
  return {};
}

Status Measuring::write_journal(const std::string& path) const {
  return write_file(path, {FileForm::Other}, sensitivity_to_json(outcome_.run));
}

std::vector<TensorId> Measuring::tensors() const {
  std::vector<TensorId> ids = rounded_tensors(layers_);
  if (request_.parts)
    for (const TensorId id : quant_tensors(loaded_.model, layers_))
      if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  return ids;
}

// Counted in layers on a sample each; a pass that is shared or left out counts as done.
void Measuring::show(std::string_view stage, double share) const {
  const auto all = static_cast<std::int64_t>(layers_.size()) * data_->count();
  observer_.show(stage, std::llround(std::clamp(share, 0.0, 1.0) * static_cast<double>(all)), all);
}

// Measured on all samples, whatever the budget; not kept for resuming.
Status Measuring::measure_parts_too(SensitivityOptions options) {
  options.progress = [this](double share) { show("one part at a time", share); };
  auto parts =
      measure_parts(*engine_, loaded_.model, layers_, ranges_.ranges, *data_, fill_, options);
  if (!parts) return failure(parts);
  report().parts = std::move(*parts);
  return {};
}

void Measuring::describe() {
  SensitivityRun& run = report();
  run.program = request_.caller.program;
  run.options = request_.caller.options;
  run.model = request_.model.source.word();
  run.hash = graph_hash(loaded_.model);
  run.engine = fmt::format("{} {}", engine_->name(), engine_->release());
  run.data = data_->describe();
  run.ranges = request_.rounding.activations ? ranges_.words : "none are needed";
  run.random_data = data_->random();
  run.random_weights = request_.model.source.is_built();
  run.samples = data_->count();
  run.quality = request_.quality;
  run.rounding = request_.rounding;
  run.budgeted = request_.budget < 1 || request_.budget_seconds > 0;
  run.result.layers.resize(layers_.size());
  for (const QuantLayer& layer : layers_)
    run.layers.push_back(
        {layer.path, layer.block, operators_text(loaded_.model, layer), layer_words(layer)});
}

// Everything that can be wrong with the request is found before the work begins.
Status Measuring::load() {
  auto loaded = load_float_model(request_.model);
  if (!loaded) return failure(loaded);
  loaded_ = std::move(*loaded);
  auto layers = layers_to_quantize(loaded_, request_.model);
  if (!layers) return failure(layers);
  layers_ = std::move(*layers);
  if (Status status = check_request(); !status) return status;
  auto data = request_.data.open(loaded_.model);
  if (!data) return failure(data);
  data_ = std::move(*data);
  for (const std::string& note : data_->notes()) observer_.say(note);
  auto labels = request_.data.read_labels(*data_);
  if (!labels) return failure(labels);
  labels_ = std::move(*labels);
  if (!request_.journal.empty()) {
    unfinished_ = unfinished_journal(request_);
    if (Status status = check_writable(request_.journal, journal_kind(request_)); !status)
      return status;
  }
  auto opened = open_engine(request_.engine, loaded_, request_.model, request_.data.data.seed);
  if (!opened) return failure(opened);
  engine_ = std::move(opened->engine);
  session_ = std::move(opened->session);
  engine_model_ = std::move(opened->model);
  if (engine_model_.file.empty())
    fill_ = build::random_weights(loaded_.model, request_.data.data.seed);
  return {};
}

Result<SensitivityOptions> Measuring::measuring_options() {
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
  options.activation_sqnr = ranges_.sqnr;
  options.labels = labels_;
  options.stop = observer_.stop;
  options.progress = [this](double share) { show("one layer at a time", share); };
  if (earlier_) options.earlier = &*earlier_;
  if (!request_.journal.empty())
    options.so_far = [this](const Sensitivity& so_far) {
      const std::chrono::duration<double> since = Clock::now() - kept_;
      if (request_.keep_seconds <= 0 ||
          since.count() >= std::max(request_.keep_seconds, keep_took_ / kKeepShare))
        keep(so_far);
    };
  if (request_.command.empty()) return options;
  auto judge = judge_by_command(request_.command);
  if (!judge) return failure(judge);
  options.command = std::move(*judge);
  return options;
}

void Measuring::add_earlier() {
  if (earlier_) report().result.passes += earlier_->passes;
  if (earlier_) report().result.seconds += earlier_->seconds;
  report().seconds =
      earlier_seconds_ + std::chrono::duration<double>(Clock::now() - start_).count();
}

void Measuring::keep(const Sensitivity& so_far) {
  const auto start = Clock::now();
  report().result = so_far;
  report().result.partial = true;
  add_earlier();
  // Everything stays in memory: there may be room on the disk again at the end.
  if (const Status status = write_journal(unfinished_); !status && !std::exchange(warned_, true))
    observer_.say(fmt::format("{}; going on without", observer_.phrased(status.error())));
  kept_ = Clock::now();
  keep_took_ = std::chrono::duration<double>(kept_ - start).count();
}

Result<SensitivityOutcome> Measuring::run() {
  if (Status status = load(); !status) return failure(status);
  start_ = kept_ = Clock::now();
  if (Status status = find_ranges(); !status) return failure(status);
  describe();
  if (observer_.stopped()) {
    report().result.partial = outcome_.interrupted = true;
    return std::move(outcome_);
  }
  auto identity = fingerprint();
  if (!identity) return failure(identity);
  report().run = std::move(*identity);
  if (!request_.journal.empty())
    if (Status status = read_journal(); !status) return failure(status);

  auto how = measuring_options();
  if (!how) return failure(how);
  auto result =
      measure_sensitivity(*engine_, loaded_.model, layers_, ranges_.ranges, *data_, fill_, *how);
  if (!result) return failure(result);
  report().result = std::move(*result);
  add_earlier();
  add_findings(report(), layers_);
  if (request_.parts && !observer_.stopped())
    if (Status status = measure_parts_too(*how); !status) return failure(status);
  outcome_.interrupted = observer_.stopped();
  if (!request_.journal.empty())
    if (Status status = write_journal(outcome_.interrupted ? unfinished_ : request_.journal);
        !status)
      outcome_.unwritten = status.error();
  if (outcome_.interrupted) outcome_.kept_in = request_.journal.empty() ? "" : unfinished_;
  if (!report().result.baseline.empty() && !score_of(request_.quality, report().result.baseline))
    return failure(Code::NoClassesInAnswer, {.model = request_.model.source.word(),
                                             .name = std::string(name_of(request_.quality))});
  return std::move(outcome_);
}

}  // namespace

Result<SensitivityOutcome> run_sensitivity(const SensitivityRequest& request,
                                           const Observer& observer) {
  if (request.in_process) return Measuring(request, observer).run();
  const std::string unfinished = request.journal.empty() ? "" : unfinished_journal(request);
  JobPlace place{.kind = JobKind::Sensitivity,
                 .program = request.program,
                 .model = request.model.source.word(),
                 .engine = request.engine.engine,
                 .kept_in = unfinished,
                 .max_wait_seconds = request.model.max_wait_seconds,
                 .trust_model = is_trusted(request.model)};
  if (!request.journal.empty())
    place.rights.outputs = {{request.journal, journal_kind(request)},
                            {partial_journal(request.journal), {FileForm::Json, "sensitivity"}}};
  if (!request.command.empty())
    place.rights.judge = [&](const std::string& floats, const std::string& other) {
      return run_metric_command(request.command, floats, other);
    };
  auto outcome = run_job_in_child<SensitivityOutcome>(place, request, observer);
  if (outcome && !outcome->interrupted && !outcome->unwritten && !request.journal.empty())
    remove_partial_journal(request.journal, outcome->run.run);
  return outcome;
}

}  // namespace strata
