#include "cli/engine_options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "strata/measure/machine.h"
#include "strata/write/onnx.h"
#include "strata/zoo/weights.h"
#include "strata/zoo/zoo.h"

namespace strata::cli {

void EngineOptions::add_to(CLI::App& app) {
  app.add_option("--engine", engine, "that runs the model (onnxruntime)")->option_text("NAME");
  app.add_option("--engine-path", path, "folders to look for engines in")->option_text("DIR:DIR");
  app.add_option("--device", device, "what to run on: cpu, cuda:0")->option_text("NAME");
  app.add_option("--provider", provider, "the engine's own backend: tensorrt, openvino, …")
      ->option_text("NAME");
  app.add_option("--engine-option", own, "one of the engine's own (repeatable)")
      ->allow_extra_args(false)
      ->option_text("KEY=VALUE");
  app.add_option("--threads", threads, "that the engine uses (one for each core)")
      ->check(CLI::Range(1, 1024))
      ->option_text("N");
}

Result<Engine> EngineOptions::load() const { return load_engine(engine, path); }

Result<SessionOptions> EngineOptions::session() const {
  for (const std::string& option : own)
    if (const std::size_t equals = option.find('='); equals == 0 || equals == option.npos)
      return failure(fmt::format("--engine-option {}: write it as KEY=VALUE", option),
                     ErrorKind::Usage);
  SessionOptions session;
  session.device = device;
  session.provider = provider;
  session.options = own;
  session.threads = threads > 0 ? threads : std::max(read_machine().cores, 1);
  session.optimization = STRATA_OPT_ALL;
  return session;
}

ModelSource EngineModel::source() const {
  if (path.empty()) return {"", ModelBytes{bytes}};
  return {path};
}

Result<EngineModel> engine_model(const LoadedModel& loaded, const ModelOptions& options,
                                 std::uint64_t seed) {
  EngineModel model;
  if (!options.path.starts_with(zoo::kPrefix)) {
    model.path = options.path;
    return model;
  }
  WriteOptions write;
  write.fill = zoo::random_weights(loaded.model, seed);
  auto bytes = onnx_bytes(loaded.model, write);
  if (!bytes) return tl::unexpected(bytes.error());
  model.bytes = std::move(*bytes);
  return model;
}

Status check_has_weights(const Model& model) {
  if (model.path.starts_with(zoo::kPrefix)) return {};
  for (const TensorData& data : model.stored) {
    const Expr elements = data.elements();
    if (data.store != TensorData::Store::Absent || !elements.is_number() || elements.value() == 0)
      continue;
    return failure(
        fmt::format("{}: it cannot be run, because it was stripped of its weights: the stored "
                    "tensor \"{}\" has no elements",
                    model.path, data.name));
  }
  return {};
}

}  // namespace strata::cli
