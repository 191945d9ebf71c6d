#include "strata/task/model.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "read/registry.h"
#include "strata/build/weights.h"
#include "strata/cost/cost.h"
#include "strata/read/read.h"
#include "strata/task/record.h"
#include "strata/write/onnx.h"
#include "strata/zoo/hugging_face.h"
#include "strata/zoo/zoo.h"
#include "task/float_model.h"
#include "task/folder_weights.h"
#include "task/language_model.h"

namespace strata {

namespace {

// The length of the text stays open, to be given as a size.
Result<Model> build_from_folder(const ModelRequest& request) {
  const std::string& folder = request.source.word();
  const Expr batch = request.sizes.batch ? Expr(*request.sizes.batch) : Expr(1);
  auto network = zoo::build_folder(folder, batch, Expr::symbol("sequence"));
  if (!network) return failure(network);
  Model& model = network->model;
  model.path = folder;
  auto notes = compare_folder_weights(folder, model, request.limit);
  if (!notes) return failure(notes);
  model.notes.insert(model.notes.end(), notes->begin(), notes->end());
  return std::move(model);
}

Result<Model> build_from_zoo(const ModelRequest& request) {
  const std::string name = request.source.short_name();
  auto network = request.sizes.batch ? zoo::build(zoo::with_batch(name, *request.sizes.batch))
                                     : zoo::build(name);
  if (!network) return failure(network);
  network->model.path = request.source.word();
  return std::move(network->model);
}

Result<Model> read_or_build(const ModelRequest& request) {
  if (!request.recording.empty())
    return read_recording(request.recording, request.source.word(), {.limit = request.limit});
  if (is_language_model(request)) return build_language_model(request);
  if (request.source.is_zoo()) return build_from_zoo(request);
  if (request.source.is_built()) return build_from_folder(request);
  return read_model(request.source, {.model = request.model,
                                     .allow_outside_data = request.allow_outside_data,
                                     .memory = request.memory,
                                     .limit = request.limit});
}

// True for a file that has to be converted before it can be run, such as a TensorFlow Lite model.
bool no_engine_opens(const Source& source) {
  const ModelFormat* format = source.format();
  return format != nullptr && !format->to_onnx.empty() && format->engine_format.empty();
}

std::vector<Dims> input_dims(const Model& model) {
  std::vector<Dims> all;
  for (const TensorId id : model.graph().inputs)
    all.push_back(model.graph().tensors[id].type->dims);
  return all;
}

// A file may take several samples and compute only the first. Its numbers would be those of its own
// batch.
Status check_batch(const LoadedModel& loaded, ModelRequest request) {
  const std::int64_t batch = *std::exchange(request.sizes.batch, std::nullopt);
  auto own = load_model(request);
  if (!own) return failure(own);
  const Graph& graph = own->model.graph();
  const auto is_open = [&](TensorId id) {
    const Dims& dims = graph.tensors[id].type->dims;
    return !dims.empty() && !dims[0].is_number();
  };
  if (std::any_of(graph.inputs.begin(), graph.inputs.end(), is_open)) return {};
  const auto own_batch = std::find_if(graph.inputs.begin(), graph.inputs.end(), [&](TensorId id) {
    return !graph.tensors[id].type->dims.empty();
  });
  if (own_batch == graph.inputs.end() || graph.tensors[*own_batch].type->dims[0].is(batch))
    return {};
  const Expr macs = count(loaded.model).total.macs;
  if (macs.is(0) || macs != count(own->model).total.macs) return {};
  return failure(
      fmt::format("{}: with a batch of {} it would compute as much as with its own of {}, so it "
                  "does not use the other samples; export it with this batch",
                  request.source.word(), batch, graph.tensors[*own_batch].type->dims[0].text()));
}

}  // namespace

Result<LoadedModel> load_model(const ModelRequest& request) {
  if (request.recording.empty() && request.source.is_code()) {
    RecordRequest record{.model = request, .inputs = request.input_files};
    record.engine.path = request.engine_path;
    auto recorded = record_model(record);
    if (!recorded) return failure(recorded);
    return load_model(*recorded);
  }
  auto model = read_or_build(request);
  if (!model && !request.source.status() && zoo::find(request.source.word()) != nullptr)
    return failure(Code::FileMissing, {.file = request.source.word()},
                   fmt::format("{}: there is no such file (did you mean {}{}?)",
                               request.source.word(), kZooPrefix, request.source.word()));
  if (!model) return failure(model);
  // A recording is one run, with the sizes that it was recorded with.
  InferOptions sizes = request.recording.empty() ? request.sizes : InferOptions{};
  sizes.limit = request.limit;
  if (is_language_model(request)) sizes = sizes_of_language_model(std::move(sizes));
  std::vector<Dims> stated = input_dims(*model);
  auto inference = infer(*model, sizes);
  if (!inference) return failure_in(request.source.word(), inference);
  LoadedModel loaded{std::move(*model), std::move(*inference), std::move(stated)};
  const bool follows_batch = loaded.model.states_types || request.source.is_built();
  if (request.sizes.batch && !follows_batch)
    if (auto status = check_batch(loaded, request); !status) return failure(status);
  return loaded;
}

Result<LoadedModel> load_one_item(ModelRequest request) {
  auto loaded = load_model(request);
  if (!loaded || request.sizes.batch) return loaded;
  const Graph& graph = loaded->model.graph();
  for (const TensorId id : graph.inputs) {
    const TypeInfo& type = graph.tensors[id].type;
    if (!type.ranked || type.dims.empty() || type.dims[0].is_number()) continue;
    request.sizes.batch = 1;
    return load_model(request);
  }
  return loaded;
}

Status check_has_weights(const Model& model, const Source& source) {
  if (no_engine_opens(source)) return failure(not_onnx(source));
  if (auto status = check_can_run(model); !status) return status;
  if (source.is_built()) return {};
  std::string_view there;  // the last file of weights that was found
  for (const TensorData& data : model.stored) {
    const Expr elements = data.elements();
    if (data.store == TensorData::Store::External && data.location != there) {
      std::error_code error;
      const auto file = std::filesystem::path(model.path).parent_path() / data.location;
      if (!std::filesystem::exists(file, error))
        return failure(Code::FileMissing, {.file = file.string()},
                       fmt::format("{}: it cannot be run, because its weights are in {}, which is "
                                   "not there",
                                   model.path, in_quotes(data.location)));
      there = data.location;
    }
    if (data.store != TensorData::Store::Absent || !elements.is_number() || elements.value() == 0)
      continue;
    return failure(
        fmt::format("{}: it cannot be run, because it was stripped of its weights: the stored "
                    "tensor {} has no elements",
                    model.path, in_quotes(data.name)));
  }
  return {};
}

bool file_has_sizes(const LoadedModel& loaded) {
  const std::vector<Dims> now = input_dims(loaded.model);
  for (std::size_t i = 0; i < now.size() && i < loaded.stated_inputs.size(); ++i) {
    const Dims& stated = loaded.stated_inputs[i];
    for (std::size_t axis = 0; axis < stated.size() && axis < now[i].size(); ++axis)
      if (stated[axis].is_number() && stated[axis] != now[i][axis]) return false;
  }
  return true;
}

ModelSource EngineModel::source() const {
  if (file.empty()) return {"", ModelBytes{bytes}};
  return {file.word()};
}

Result<EngineModel> engine_model(const LoadedModel& loaded, const ModelRequest& request,
                                 std::uint64_t seed) {
  EngineModel model;
  if (no_engine_opens(request.source)) return failure(not_onnx(request.source));
  const bool is_file = !request.source.is_built();
  if (is_file && file_has_sizes(loaded)) {
    model.file = request.source;
    return model;
  }
  if (auto status = check_can_run(loaded.model); !status) return failure(status);
  WriteOptions write;
  if (!is_file) write.fill = build::random_weights(loaded.model, seed);
  auto bytes = onnx_bytes(loaded.model, write);
  if (!bytes) return failure(bytes);
  model.bytes = std::move(*bytes);
  return model;
}

}  // namespace strata
