#include "strata/quantize/quantize.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/output_file.h"
#include "quantize/kernel_look.h"
#include "quantize/quantizing.h"
#include "sensitivity/agreement.h"

namespace strata {

Status write_bytes(const std::string& path, const std::string& bytes) {
  return write_file(path, {FileForm::Other}, bytes);
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
  if (!speed) return failure(speed);
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
  if (!data) return failure(data);
  out_.data = data->describe();
  samples_.emplace(std::move(*data));
  split_ = split_samples(static_cast<std::size_t>(samples_->count()));
  return {};
}

Result<std::string> Quantizing::made(const StaysFloat& floats, QuantizedModel* kept) {
  plan_.keep_float = floats;
  auto model = quantized(to_write(), task_.layers, plan_);
  if (!model) return failure_in(task_.name, model);
  WriteOptions write;
  write.fill = task_.fill;
  auto bytes = onnx_bytes(model->model, write);
  if (bytes && kept != nullptr) *kept = std::move(*model);
  return bytes;
}

Result<std::vector<SampleScore>> Quantizing::judged(const StaysFloat& floats, SampleSpan samples) {
  auto bytes = made(floats);
  if (!bytes) return failure(bytes);
  if (auto status = open_samples(); !status) return failure(status);
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
  if (!times) return failure(times);
  times_ = std::move(*times);
  return {};
}

Result<QuantizedModel> Quantizing::time_plan() {
  QuantizedModel model;
  auto bytes = made(keep_, &model);
  if (!bytes) return failure(bytes);
  ModelSource int8;
  int8.bytes.model = *bytes;
  if (auto status = time_layers(int8, model); !status) return failure(status);
  return model;
}

// Without samples to judge on, the model is still written if no target was set.
Status Quantizing::judge() {
  if (auto status = open_samples(); !status) {
    if (task_.automatic || out_.target) return status;
    out_.not_judged = observer_.phrased(status.error());
    return {};
  }
  // A choice looks better than it is on the samples that it was made with.
  out_.judged_on_others = out_.chosen_on > 0 && split_.apart;
  const SampleSpan judging = out_.judged_on_others ? split_.judge : SampleSpan{};
  if (!judged_) {
    auto scores = judged(keep_, judging);
    if (!scores) return failure(scores);
    out_.got = std::move(*scores);
  }
  auto promised = simulate_plan(*task_.engine, *task_.model, task_.layers, keep_, task_.ranges,
                                *samples_, task_.fill, simulation("simulating the plan"), judging);
  if (stopped()) return stop_error();
  if (!promised) return failure(promised);
  out_.promised = std::move(*promised);
  return check_target();
}

Status Quantizing::check_target() const {
  if (!out_.target || out_.target->met_by(out_.got)) return {};
  if (out_.judged_on_others)
    return failure(
        Code::TargetMissedOthers,
        {.model = task_.name,
         .found = fmt::format("{} on {} samples, and {} on the {} others that the model was chosen "
                              "with",
                              out_.target->found_in(out_.got), out_.got.size(),
                              out_.target->found_in(choice_), out_.chosen_on)});
  return failure(Code::TargetMissed,
                 {.model = task_.name, .found = out_.target->found_in(out_.got)});
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

// Checks how the engine runs the file. It is an error if a layer that should stay in float does
// not.
Status Quantizing::look(const std::string& file) {
  show("looking at its kernels", 0);
  std::vector<std::string> mains;
  for (std::size_t l = 0; l < task_.layers.size(); ++l) {
    const auto& nodes = task_.layers[l].nodes;
    const auto main = std::find(nodes.begin(), nodes.end(), task_.layers[l].main) - nodes.begin();
    mains.push_back(written_.nodes[l][static_cast<std::size_t>(main)]);
  }
  auto looks = look_at_layers(*task_.engine, {.path = file}, written_.model, mains, task_.session);
  if (!looks) return failure(looks);
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
      fmt::format("{}: {} runs in int8 what was to stay in float: {}; nothing was written",
                  task_.name, task_.engine->name(), fmt::join(wrong, ", ")));
}

Status Quantizing::write() {
  if (stopped()) return stop_error();
  auto bytes = made(keep_, &written_);
  if (!bytes) return failure(bytes);
  describe(written_);
  // Both files are complete and checked before either gets its final name.
  auto list = OutputFile::create(task_.exclude, {FileForm::Text});
  if (!list) return failure(list);
  for (const std::string& name : written_.excluded)
    if (auto status = list->write(name + "\n"); !status) return status;
  if (auto status = list->close(); !status) return status;
  auto file = OutputFile::create(task_.output, {FileForm::Onnx});
  if (!file) return failure(file);
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
    if (!bench) return failure(bench);
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
  if (auto status = choose(); !status) return failure(status);
  if (auto status = judge(); !status) return failure(status);
  if (auto status = write(); !status) return failure(status);
  if (task_.time)
    if (auto status = compare_speed(); !status) out_.not_timed = observer_.phrased(status.error());
  out_.interrupted = stopped();
  return std::move(out_);
}

Result<QuantizeOutcome> quantize_model(const QuantizeTask& task, const Observer& observer) {
  return Quantizing(task, observer).run();
}

}  // namespace strata
