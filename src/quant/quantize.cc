#include "strata/quant/quantize.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quant/agreement.h"
#include "quant/kernel_look.h"
#include "quant/quantizing.h"
#include "write/output_file.h"

namespace strata {

Status write_bytes(const std::string& path, const std::string& bytes) {
  auto file = OutputFile::create(path);
  if (!file) return tl::unexpected(file.error());
  if (auto status = file->write(bytes); !status) return status;
  return file->commit();
}

SensitivityOptions Quantizing::simulation(std::string_view stage) const {
  SensitivityOptions options;
  options.session = task_.session;
  options.rounding.weight_bits = task_.reduce_range ? 7 : 8;
  options.stop = observer_.stop;
  options.progress = [this, stage](double share) { show(stage, share); };
  return options;
}

Status Quantizing::prepare_speed() {
  if (speed_) return {};
  auto speed = QuantizeSpeed::prepare(task_, observer_);
  if (!speed) return tl::unexpected(speed.error());
  floats_file_ = task_.floats.path;
  if (floats_file_.empty()) {
    floats_file_ = task_.scratch + "/floats.onnx";
    if (auto status = write_bytes(floats_file_, std::string(task_.floats.bytes.model)); !status)
      return status;
  }
  speed_ = std::move(*speed);
  return {};
}

Status Quantizing::open_samples() {
  if (samples_) return {};
  auto data = task_.held_out(task_.samples);
  if (!data) return tl::unexpected(data.error());
  out_.data = data->describe();
  samples_.emplace(std::move(*data));
  split_ = split_samples(static_cast<std::size_t>(samples_->count()));
  return {};
}

Result<std::string> Quantizing::made(const StaysFloat& floats, QuantizedModel* kept) {
  plan_.keep_float = floats;
  auto model = quantized(to_write(), task_.layers, plan_);
  if (!model) return failure(fmt::format("{}: {}", task_.name, model.error().message));
  WriteOptions write;
  write.fill = task_.fill;
  auto bytes = onnx_bytes(model->model, write);
  if (bytes && kept != nullptr) *kept = std::move(*model);
  return bytes;
}

Result<std::vector<SampleScore>> Quantizing::judged(const StaysFloat& floats, SampleSpan samples) {
  auto bytes = made(floats);
  if (!bytes) return tl::unexpected(bytes.error());
  if (auto status = open_samples(); !status) return tl::unexpected(status.error());
  ModelSource source;
  source.bytes.model = *bytes;
  ++out_.tried;
  const std::string stage = fmt::format("judging model {}", out_.tried);
  auto scores = compare_models(
      *task_.engine, task_.floats, source, *samples_, task_.session, observer_.stop,
      [&](double share) { show(stage, share); }, samples);
  if (stopped()) return stop_error();
  return scores;
}

Status Quantizing::time_layers(const ModelSource& int8, const QuantizedModel& model) {
  if (auto status = prepare_speed(); !status) return status;
  auto times =
      speed_->layers(task_.floats, layer_node_names(*task_.model, task_.layers), int8, model.nodes);
  if (!times) return tl::unexpected(times.error());
  times_ = std::move(*times);
  return {};
}

// Without samples for it, a model for which nothing was asked is written all the same.
Status Quantizing::judge() {
  if (auto status = open_samples(); !status) {
    if (task_.automatic || out_.target) return status;
    out_.not_judged = status.error().message;
    return {};
  }
  // Samples that a choice was made with flatter it.
  out_.judged_on_others = out_.chosen_on > 0 && split_.apart;
  const SampleSpan judging = out_.judged_on_others ? split_.judge : SampleSpan{};
  if (!judged_) {
    auto scores = judged(keep_, judging);
    if (!scores) return tl::unexpected(scores.error());
    out_.got = std::move(*scores);
  }
  auto promised = simulate_plan(*task_.engine, *task_.model, task_.layers, keep_, task_.ranges,
                                *samples_, task_.fill, simulation("simulating the plan"), judging);
  if (stopped()) return stop_error();
  if (!promised) return tl::unexpected(promised.error());
  out_.promised = std::move(*promised);
  return check_target();
}

std::string Quantizing::shortfall(const std::vector<SampleScore>& scores) const {
  const auto sqnr = value(Quality::Sqnr, scores);
  const auto top1 = value(Quality::Top1, scores);
  std::vector<std::string> has;
  if (sqnr && out_.target->min_sqnr) has.push_back(fmt::format("SQNR {:.1f} dB", *sqnr));
  if (out_.target->max_drop)
    has.push_back(top1 ? fmt::format("another class for {:.1f} % of the samples", 100 - *top1)
                       : "no classes to compare");
  return fmt::format("{}", fmt::join(has, ", "));
}

Status Quantizing::check_target() const {
  if (!out_.target || out_.target->met_by(out_.got)) return {};
  if (out_.judged_on_others)
    return failure(
        fmt::format("{}: the answers do not meet the target: {} on {} samples, and {} on the {} "
                    "others that the model was chosen with; nothing was written. Give more samples "
                    "with --held-out, or ask for less",
                    task_.name, shortfall(out_.got), out_.got.size(), shortfall(choice_),
                    out_.chosen_on),
        ErrorKind::Budget);
  return failure(fmt::format("{}: the answers do not meet the target: {}; nothing was written. "
                             "Keep layers in floats with --keep-float auto, or ask for less",
                             task_.name, shortfall(out_.got)),
                 ErrorKind::Budget);
}

void Quantizing::describe(const QuantizedModel& model) {
  const auto rounding = layer_rounding(*task_.model, task_.layers, keep_);
  for (std::size_t l = 0; l < task_.layers.size(); ++l) {
    QuantizedLayer& layer = out_.layers[l];
    layer.int8 = model.int8[l];
    layer.input_rounded = rounding[l].input;
    layer.output_rounded = rounding[l].output;
    if (layer.int8)
      layer.reason.clear();
    else if (layer.reason.empty())
      layer.reason = "edge";
  }
  std::set<TensorId> rounded;
  for (const QuantPart& part : quant_parts(*task_.model, task_.layers, keep_))
    if (part.kind == QuantPart::Kind::Tensor) rounded.insert(part.origin);
  const std::vector<QuantizedTensor> measured = std::move(out_.tensors);
  out_.tensors.clear();
  for (const QuantPart& part : quant_parts(*task_.model, task_.layers)) {
    if (part.kind != QuantPart::Kind::Tensor) continue;
    QuantizedTensor tensor{part.label, rounded.contains(part.tensor), {}, {}};
    if (!tensor.rounded)
      tensor.reason = kept_for_answers_.contains(part.label) ? "answers"
                      : task_.keep.tensors.contains(task_.model->graph().tensors[part.tensor].name)
                          ? "named"
                          : "layers";
    for (const QuantizedTensor& one : measured)
      if (one.label == part.label) tensor.drop = one.drop;
    out_.tensors.push_back(std::move(tensor));
  }
  out_.int8_nodes = model.int8_nodes;
  out_.excluded = model.excluded;
}

// What the engine makes of the file. A layer that was to stay in floats and does not is an error.
Status Quantizing::look(const std::string& file) {
  show("looking at its kernels", 0);
  std::vector<std::string> mains;
  for (std::size_t l = 0; l < task_.layers.size(); ++l) {
    const auto& nodes = task_.layers[l].nodes;
    const auto main = std::find(nodes.begin(), nodes.end(), task_.layers[l].main) - nodes.begin();
    mains.push_back(written_.nodes[l][static_cast<std::size_t>(main)]);
  }
  auto looks = look_at_layers(*task_.engine, {.path = file}, written_.model, mains, task_.session);
  if (!looks) return tl::unexpected(looks.error());
  std::vector<std::string> wrong;
  for (std::size_t l = 0; l < looks->size(); ++l) {
    out_.layers[l].runs = (*looks)[l].runs;
    out_.layers[l].kernel = std::move((*looks)[l].kernel);
    if (!out_.layers[l].int8 && out_.layers[l].runs == RunsIn::Int8)
      wrong.push_back(out_.layers[l].path);
  }
  if (!task_.engine->tells_plan())
    out_.not_looked = fmt::format("{} {} does not tell what it runs before it does",
                                  task_.engine->name(), task_.engine->release());
  if (wrong.empty()) return {};
  return failure(
      fmt::format("{}: {} runs in int8 what was to stay in floats: {}; nothing was written",
                  task_.name, task_.engine->name(), fmt::join(wrong, ", ")));
}

Status Quantizing::write() {
  if (stopped()) return stop_error();
  auto bytes = made(keep_, &written_);
  if (!bytes) return tl::unexpected(bytes.error());
  describe(written_);
  // Both are complete, and looked at, before either has its name.
  auto list = OutputFile::create(task_.exclude);
  if (!list) return tl::unexpected(list.error());
  for (const std::string& name : written_.excluded)
    if (auto status = list->write(name + "\n"); !status) return status;
  if (auto status = list->close(); !status) return status;
  auto file = OutputFile::create(task_.output);
  if (!file) return tl::unexpected(file.error());
  if (auto status = file->write(*bytes); !status) return status;
  if (auto status = file->close(); !status) return status;
  if (auto status = look(file->temporary()); !status) return status;
  if (stopped()) return stop_error();
  if (auto status = file->commit(); !status) return status;
  if (auto status = list->commit(); !status) return status;
  out_.int8_bytes = static_cast<std::int64_t>(bytes->size());
  return {};
}

Status Quantizing::compare_speed() {
  if (auto status = time_layers({.path = task_.output}, written_); !status) return status;
  if (!stopped()) {
    auto bench = speed_->compare(floats_file_, task_.output);
    if (!bench) return tl::unexpected(bench.error());
    out_.bench = std::move(*bench);
    if (out_.bench->variants.size() == 2)
      scale_to(*times_, out_.bench->variants[0].summary().median,
               out_.bench->variants[1].summary().median);
  }
  for (std::size_t l = 0; l < out_.layers.size(); ++l) {
    out_.layers[l].floats = times_->base.layers[l];
    out_.layers[l].written = times_->other.layers[l];
    out_.layers[l].speed_up = times_->layers[l];
  }
  const RunTimes &base = times_->base, &other = times_->other;
  out_.disturbed = times_->disturbed;
  out_.rest = {{"other operators", base.other, other.other, times_->others},
               {"conversions", base.conversions, other.conversions, times_->conversions},
               {"layout", base.layout, other.layout, times_->layout},
               {"outside kernels", base.outside, other.outside}};
  return {};
}

Result<QuantizeOutcome> Quantizing::run() {
  out_.target = task_.target;
  if (task_.automatic && !out_.target)
    out_.target = AnswerTarget{.min_sqnr = kGoodSqnr, .max_drop = std::nullopt};
  if (auto status = choose(); !status) return tl::unexpected(status.error());
  if (auto status = judge(); !status) return tl::unexpected(status.error());
  if (auto status = write(); !status) return tl::unexpected(status.error());
  if (task_.time)
    if (auto status = compare_speed(); !status) out_.not_timed = status.error().message;
  out_.interrupted = stopped();
  return std::move(out_);
}

Result<QuantizeOutcome> quantize_model(const QuantizeTask& task, const QuantizeObserver& observer) {
  return Quantizing(task, observer).run();
}

}  // namespace strata
