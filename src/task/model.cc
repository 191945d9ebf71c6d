#include "strata/task/model.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "strata/build/weights.h"
#include "strata/read/read.h"
#include "strata/write/onnx.h"
#include "strata/zoo/zoo.h"

namespace strata {

namespace {

Result<Model> read_or_build(const ModelRequest& request) {
  if (!request.path.starts_with(zoo::kPrefix))
    return read_model(request.path,
                      {.allow_outside_data = request.allow_outside_data, .limit = request.limit});
  auto network = zoo::build(std::string_view(request.path).substr(zoo::kPrefix.size()));
  if (!network) return failure(network);
  return std::move(network->model);
}

}  // namespace

Result<LoadedModel> load_model(const ModelRequest& request) {
  auto model = read_or_build(request);
  if (!model) return failure(model);
  InferOptions sizes = request.sizes;
  sizes.limit = request.limit;
  auto inference = infer(*model, sizes);
  if (!inference) return failure_in(request.path, inference);
  return LoadedModel{std::move(*model), std::move(*inference)};
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
  if (model.path.starts_with(zoo::kPrefix)) return {};
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

Result<EngineModel> engine_model(const LoadedModel& loaded, const ModelRequest& request,
                                 std::uint64_t seed) {
  EngineModel model;
  if (!request.path.starts_with(zoo::kPrefix)) {
    model.path = request.path;
    return model;
  }
  WriteOptions write;
  write.fill = build::random_weights(loaded.model, seed);
  auto bytes = onnx_bytes(loaded.model, write);
  if (!bytes) return failure(bytes);
  model.bytes = std::move(*bytes);
  return model;
}

}  // namespace strata
