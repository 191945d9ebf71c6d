#include "strata/task/model.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "strata/build/weights.h"
#include "strata/cost/cost.h"
#include "strata/read/read.h"
#include "strata/task/record.h"
#include "strata/write/onnx.h"
#include "strata/zoo/hugging_face.h"
#include "strata/zoo/zoo.h"
#include "task/folder_weights.h"

namespace strata {

namespace {

// A folder of Hugging Face's. The length of the text stays open, to be given as a size.
Result<Model> build_from_folder(const ModelRequest& request) {
  const Expr batch = request.sizes.batch ? Expr(*request.sizes.batch) : Expr(1);
  auto network = zoo::build_folder(request.path, batch, Expr::symbol("sequence"));
  if (!network) return failure(network);
  Model& model = network->model;
  model.path = request.path;
  auto notes = compare_folder_weights(request.path, model, request.limit);
  if (!notes) return failure(notes);
  model.notes.insert(model.notes.end(), notes->begin(), notes->end());
  return std::move(model);
}

Result<Model> read_or_build(const ModelRequest& request) {
  if (!request.recording.empty())
    return read_recording(request.recording, request.path, {.limit = request.limit});
  if (zoo::is_hugging_face(request.path)) return build_from_folder(request);
  if (!request.path.starts_with(zoo::kPrefix))
    return read_model(request.path, {.model = request.model,
                                     .allow_outside_data = request.allow_outside_data,
                                     .memory = request.memory,
                                     .limit = request.limit});
  const std::string_view name = std::string_view(request.path).substr(zoo::kPrefix.size());
  auto network = request.sizes.batch ? zoo::build(zoo::with_batch(name, *request.sizes.batch))
                                     : zoo::build(name);
  if (!network) return failure(network);
  network->model.path = request.path;
  return std::move(network->model);
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
                  request.path, batch, graph.tensors[*own_batch].type->dims[0].text()));
}

}  // namespace

Result<LoadedModel> load_model(const ModelRequest& request) {
  if (request.recording.empty() && is_torchscript(request.path)) {
    auto recorded = record_model({.model = request});
    if (!recorded) return failure(recorded);
    return load_model(*recorded);
  }
  auto model = read_or_build(request);
  if (!model) return failure(model);
  // A recording is one run, with the sizes that it was recorded with.
  InferOptions sizes = request.recording.empty() ? request.sizes : InferOptions{};
  sizes.limit = request.limit;
  auto inference = infer(*model, sizes);
  if (!inference) return failure_in(request.path, inference);
  LoadedModel loaded{std::move(*model), std::move(*inference)};
  const bool follows_batch = loaded.model.states_types || zoo::is_built(request.path);
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

Status check_has_weights(const Model& model) {
  if (zoo::is_built(model.path)) return {};
  if (model.states_types)
    return failure(fmt::format(
        "{}: it cannot be run, because this takes an ONNX file, and it is {} of PyTorch; write an "
        "ONNX file with torch.onnx.export",
        model.path, is_torchscript(model.path) ? "a TorchScript file" : "an exported program"));
  std::string_view there;  // the last file of weights that was found
  for (const TensorData& data : model.stored) {
    const Expr elements = data.elements();
    if (data.store == TensorData::Store::External && data.location != there) {
      std::error_code error;
      const auto file = std::filesystem::path(model.path).parent_path() / data.location;
      if (!std::filesystem::exists(file, error))
        return failure(
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

ModelSource EngineModel::source() const {
  if (path.empty()) return {"", ModelBytes{bytes}};
  return {path};
}

namespace {

// Whether the file fixes another batch than it is to run with, so that an engine would refuse it.
bool has_other_batch(const Model& loaded, const ModelRequest& request) {
  if (!request.sizes.batch) return false;
  const auto file = read_model(
      request.path, {.allow_outside_data = request.allow_outside_data, .limit = request.limit});
  if (!file) return false;
  const auto first = [](const Graph& graph, std::size_t i) {
    const Dims& dims = graph.tensors[graph.inputs[i]].type->dims;
    return dims.empty() ? Expr(1) : dims[0];
  };
  for (std::size_t i = 0; i < file->graph().inputs.size(); ++i)
    if (first(file->graph(), i).is_number() && first(file->graph(), i) != first(loaded.graph(), i))
      return true;
  return false;
}

}  // namespace

Result<EngineModel> engine_model(const LoadedModel& loaded, const ModelRequest& request,
                                 std::uint64_t seed) {
  EngineModel model;
  const bool is_file = !zoo::is_built(request.path);
  if (is_file && !has_other_batch(loaded.model, request)) {
    model.path = request.path;
    return model;
  }
  WriteOptions write;
  if (!is_file) write.fill = build::random_weights(loaded.model, seed);
  auto bytes = onnx_bytes(loaded.model, write);
  if (!bytes) return failure(bytes);
  model.bytes = std::move(*bytes);
  return model;
}

}  // namespace strata
