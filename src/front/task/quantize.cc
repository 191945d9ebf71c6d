#include "strata/task/quantize.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/output_file.h"
#include "graph/hash.h"
#include "strata/base/scratch_folder.h"
#include "strata/build/weights.h"
#include "strata/machine/machine.h"
#include "task/float_model.h"
#include "task/job_process.h"
#include "task/opened_engine.h"
#include "task/quantize_samples.h"

namespace strata {

namespace {

// Includes files with weights.
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

std::string exclude_path(const std::string& output) {
  const std::filesystem::path path(output);
  return (path.parent_path() / path.stem()).string() + ".exclude.txt";
}

class QuantizeJob {
 public:
  QuantizeJob(const QuantizeRequest& request, const Observer& observer)
      : request_(request), observer_(observer) {}
  Result<QuantizeReport> run();

 private:
  Status load_models();
  Status find_floats();
  Status check_outputs();
  Status open_engine();

  const QuantizeRequest& request_;
  const Observer& observer_;
  LoadedModel loaded_;               // with all sizes set, as it is run
  std::optional<LoadedModel> open_;  // as it is written: open sizes of the file stay open
  EngineModel floats_;
  std::optional<Engine> engine_;
  std::optional<QuantizeSamples> samples_;
  std::optional<ScratchFolder> scratch_;
  QuantizeTask task_;
  QuantizeReport report_;
};

Status QuantizeJob::load_models() {
  auto loaded = load_float_model(request_.model);
  if (!loaded) return failure(loaded);
  loaded_ = std::move(*loaded);
  auto layers = layers_to_quantize(loaded_, request_.model);
  if (!layers) return failure(layers);
  task_.layers = std::move(*layers);
  task_.model = &loaded_.model;
  report_.random_weights = request_.model.source.is_built();
  if (report_.random_weights) {
    task_.fill = build::random_weights(loaded_.model, request_.data.data.seed);
    return {};
  }
  auto open = load_model(
      {request_.model.source, {}, request_.model.allow_outside_data, request_.model.limit});
  // If the layers are known only with sizes, the network is written with these sizes.
  if (open && find_quant_layers(open->model).size() == task_.layers.size() &&
      open->model.graph().nodes.size() == loaded_.model.graph().nodes.size()) {
    open_ = std::move(*open);
    task_.to_write = &open_->model;
  }
  return {};
}

Status QuantizeJob::find_floats() {
  std::vector<std::string> words = request_.keep_float;
  task_.automatic = std::erase(words, "auto") > 0;
  std::erase(words, "none");
  auto floats = stays_float(loaded_.model, task_.layers, words);
  if (!floats) return failure(floats);
  task_.keep = std::move(*floats);
  if (request_.target.min_sqnr || request_.target.max_drop) task_.target = request_.target;
  return {};
}

// Checks this before the work, not after it.
Status QuantizeJob::check_outputs() {
  task_.output = request_.output;
  task_.exclude = exclude_path(request_.output);
  std::error_code error;
  if (std::filesystem::equivalent(task_.output, request_.model.source.word(), error))
    return failure(fmt::format("{} is the model itself; name another file", task_.output),
                   ErrorKind::Usage);
  if (Status status = check_writable(task_.output, {FileForm::Onnx}); !status) return status;
  return check_writable(task_.exclude, {FileForm::Text});
}

Status QuantizeJob::open_engine() {
  auto opened =
      strata::open_engine(request_.engine, loaded_, request_.model, request_.data.data.seed);
  if (!opened) return failure(opened);
  floats_ = std::move(opened->model);
  task_.floats = floats_.source();
  engine_ = std::move(opened->engine);
  task_.engine = &*engine_;
  task_.engine_name = request_.engine.engine;
  task_.engine_path = request_.engine.path;
  task_.session = std::move(opened->session);
  return {};
}

Result<QuantizeReport> QuantizeJob::run() {
  task_.name = request_.model.source.word();
  for (const auto step : {&QuantizeJob::load_models, &QuantizeJob::find_floats,
                          &QuantizeJob::check_outputs, &QuantizeJob::open_engine})
    if (auto status = (this->*step)(); !status) return failure(status);
  auto samples = QuantizeSamples::find(request_, loaded_.model, observer_);
  if (!samples) return failure(samples);
  samples_ = std::move(*samples);
  task_.ranges = samples_->ranges();
  task_.held_out = [this](std::int64_t most) { return samples_->held_out(most); };
  task_.samples = request_.held_out;
  task_.reduce_range = cuts_off_products(read_machine().isa);
  task_.time = request_.time;
  task_.seconds = request_.seconds;
  task_.seed = request_.data.data.seed;
  task_.program = request_.program;
  if (task_.time) {
    auto scratch = ScratchFolder::create();
    if (!scratch) return failure(scratch);
    scratch_.emplace(std::move(*scratch));
    task_.scratch = *scratch_ / "";
  }
  auto outcome = quantize_model(task_, observer_);
  if (!outcome) return failure(outcome);
  report_.outcome = std::move(*outcome);
  report_.model = request_.model.source.word();
  report_.hash = graph_hash(loaded_.model);
  report_.engine = fmt::format("{} {}", engine_->name(), engine_->release());
  report_.output = task_.output;
  report_.exclude = task_.exclude;
  report_.ranges = samples_->words();
  report_.random_data = samples_->random();
  report_.reduced_range = task_.reduce_range;
  report_.automatic = task_.automatic;
  report_.float_bytes = floats_.file.empty() ? static_cast<std::int64_t>(floats_.bytes.size())
                                             : stored_bytes(loaded_.model, floats_.file.word());
  return std::move(report_);
}

}  // namespace

Result<QuantizeReport> run_quantize(const QuantizeRequest& request, const Observer& observer) {
  if (request.in_process) return QuantizeJob(request, observer).run();
  JobPlace place{.kind = JobKind::Quantize,
                 .program = request.program,
                 .model = request.model.source.word(),
                 .engine = request.engine.engine,
                 .max_wait_seconds = request.model.max_wait_seconds,
                 .trust_model = is_trusted(request.model)};
  place.rights.outputs = {{request.output, {FileForm::Onnx}},
                          {exclude_path(request.output), {FileForm::Text}}};
  place.rights.bench_program = request.program;
  return run_job_in_child<QuantizeReport>(place, request, observer);
}

}  // namespace strata
