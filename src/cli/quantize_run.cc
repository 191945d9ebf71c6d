#include "cli/quantize_run.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/interrupt.h"
#include "cli/progress_bar.h"
#include "cli/quantize_samples.h"
#include "cli/scratch_folder.h"
#include "profile/hash.h"
#include "strata/measure/machine.h"
#include "strata/zoo/weights.h"
#include "strata/zoo/zoo.h"
#include "write/output_file.h"

namespace strata::cli {

namespace {

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

// A line for each stage that goes on, written over.
class StageProgress {
 public:
  void show(std::string_view stage, double share) {
    if (stage != stage_) {
      bar_.reset();
      stage_ = stage;
      bar_ = std::make_unique<ProgressBar>(stage_, 0, kWhole);
    }
    bar_->show(static_cast<std::int64_t>(std::clamp(share, 0.0, 1.0) * kWhole));
  }

 private:
  static constexpr std::int64_t kWhole = 1000;
  std::string stage_;
  std::unique_ptr<ProgressBar> bar_;
};

class Running {
 public:
  explicit Running(const QuantizeRequest& request) : request_(request) {}
  Result<QuantizeReport> run();

 private:
  Status load_models();
  Status find_floats();
  Status check_outputs();
  Status open_engine();

  const QuantizeRequest& request_;
  LoadedModel loaded_;               // with sizes, as it is run
  std::optional<LoadedModel> open_;  // as it is written: a file's own open sizes stay
  EngineModel floats_;
  std::optional<Engine> engine_;
  std::optional<QuantizeSamples> samples_;
  std::optional<ScratchFolder> scratch_;
  QuantizeTask task_;
  QuantizeReport report_;
};

Status Running::load_models() {
  auto loaded = load_one_item(request_.model);
  if (!loaded) return tl::unexpected(loaded.error());
  loaded_ = std::move(*loaded);
  if (Status status = check_has_weights(loaded_.model); !status) return status;
  if (auto status = check_not_quantized(loaded_.model); !status)
    return failure(fmt::format("{}: {}", request_.model.path, status.error().message));
  task_.layers = find_quant_layers(loaded_.model);
  if (task_.layers.empty())
    return failure(fmt::format("{}: {}", request_.model.path, why_no_layers(loaded_.model)));
  task_.model = &loaded_.model;
  report_.random_weights = request_.model.path.starts_with(zoo::kPrefix);
  if (report_.random_weights) {
    task_.fill = zoo::random_weights(loaded_.model, request_.data.data.seed);
    return {};
  }
  ModelOptions as_stored;
  as_stored.path = request_.model.path;
  as_stored.allow_outside_data = request_.model.allow_outside_data;
  auto open = load(as_stored);
  // A network whose layers are only known with sizes is written with them.
  if (open && find_quant_layers(open->model).size() == task_.layers.size() &&
      open->model.graph().nodes.size() == loaded_.model.graph().nodes.size()) {
    open_ = std::move(*open);
    task_.to_write = &open_->model;
  }
  return {};
}

Status Running::find_floats() {
  std::vector<std::string> words = request_.keep_float;
  task_.automatic = std::erase(words, "auto") > 0;
  std::erase(words, "none");
  auto floats = stays_float(loaded_.model, task_.layers, words);
  if (!floats) return tl::unexpected(floats.error());
  task_.keep = std::move(*floats);
  if (request_.target.min_sqnr || request_.target.max_drop) task_.target = request_.target;
  return {};
}

// Before the work, not after it.
Status Running::check_outputs() {
  const std::filesystem::path path(request_.output);
  task_.output = request_.output;
  task_.exclude = (path.parent_path() / path.stem()).string() + ".exclude.txt";
  for (const std::string& file : {task_.output, task_.exclude})
    if (auto output = OutputFile::create(file); !output) return tl::unexpected(output.error());
  return {};
}

Status Running::open_engine() {
  auto floats = engine_model(loaded_, request_.model, request_.data.data.seed);
  if (!floats) return tl::unexpected(floats.error());
  floats_ = std::move(*floats);
  task_.floats = floats_.source();
  auto engine = request_.engine.load();
  if (!engine) return tl::unexpected(engine.error());
  engine_ = std::move(*engine);
  auto session = request_.engine.session();
  if (!session) return tl::unexpected(session.error());
  task_.engine = &*engine_;
  task_.engine_name = request_.engine.engine;
  task_.engine_path = request_.engine.path;
  task_.session = std::move(*session);
  return {};
}

Result<QuantizeReport> Running::run() {
  const StopOnInterrupt interrupt;
  task_.name = request_.model.path;
  for (const auto step : {&Running::load_models, &Running::find_floats, &Running::check_outputs,
                          &Running::open_engine})
    if (auto status = (this->*step)(); !status) return tl::unexpected(status.error());
  auto samples = QuantizeSamples::find(request_, loaded_);
  if (!samples) return tl::unexpected(samples.error());
  samples_ = std::move(*samples);
  task_.ranges = samples_->ranges();
  task_.held_out = [this](std::int64_t most) { return samples_->held_out(most); };
  task_.samples = request_.held_out;
  task_.reduce_range = cuts_off_products(read_machine().isa);
  task_.time = request_.time;
  task_.seconds = request_.seconds;
  task_.seed = request_.data.data.seed;
  if (task_.time) {
    auto scratch = ScratchFolder::create();
    if (!scratch) return tl::unexpected(scratch.error());
    scratch_.emplace(std::move(*scratch));
    task_.scratch = *scratch_ / "";
  }
  StageProgress stages;
  QuantizeObserver observer;
  observer.progress = [&](std::string_view stage, double share) { stages.show(stage, share); };
  observer.stop = &StopOnInterrupt::flag();
  auto outcome = quantize_model(task_, observer);
  if (!outcome) return tl::unexpected(outcome.error());
  report_.outcome = std::move(*outcome);
  report_.model = request_.model.path;
  report_.hash = graph_hash(loaded_.model);
  report_.engine = fmt::format("{} {}", engine_->name(), engine_->release());
  report_.output = task_.output;
  report_.exclude = task_.exclude;
  report_.ranges = samples_->words();
  report_.random_data = samples_->random();
  report_.reduced_range = task_.reduce_range;
  report_.automatic = task_.automatic;
  report_.float_bytes = floats_.path.empty() ? static_cast<std::int64_t>(floats_.bytes.size())
                                             : stored_bytes(loaded_.model, floats_.path);
  return std::move(report_);
}

}  // namespace

Result<QuantizeReport> run_quantize(const QuantizeRequest& request) {
  return Running(request).run();
}

}  // namespace strata::cli
