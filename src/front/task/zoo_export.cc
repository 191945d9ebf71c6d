#include "strata/task/zoo_export.h"

#include <filesystem>

#include <fmt/format.h>

#include "strata/build/weights.h"
#include "strata/cost/cost.h"
#include "strata/read/source.h"
#include "strata/write/onnx.h"
#include "strata/zoo/zoo.h"

namespace strata {

namespace {

std::string plain_name(const ZooExportRequest& request) {
  const Source source(request.network);
  return source.is_zoo() ? source.short_name() : request.network;
}

WriteOptions write_options(const Model& model, const ZooExportRequest& request) {
  WriteOptions write;
  if (request.seed) write.fill = build::random_weights(model, *request.seed);
  return write;
}

}  // namespace

Result<ZooExport> run_zoo_export(const ZooExportRequest& request) {
  const std::string name = plain_name(request);
  const auto network = zoo::build(name);
  if (!network) return failure(network);
  const Model& model = network->model;
  ZooExport out{request.output.empty() ? fmt::format("{}.onnx", name.substr(0, name.find('?')))
                                       : request.output,
                count(model).total.params};
  if (auto status = write_onnx(model, out.path, write_options(model, request)); !status)
    return failure(status);
  std::error_code error;
  out.bytes = std::filesystem::file_size(out.path, error);
  if (error) return failure(fmt::format("{}: {}", out.path, error.message()));
  return out;
}

Result<std::string> zoo_export_bytes(const ZooExportRequest& request) {
  const auto network = zoo::build(plain_name(request));
  if (!network) return failure(network);
  return onnx_bytes(network->model, write_options(network->model, request));
}

}  // namespace strata
