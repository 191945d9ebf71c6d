#include "strata/task/zoo_export.h"

#include <filesystem>

#include <fmt/format.h>

#include "strata/build/weights.h"
#include "strata/cost/cost.h"
#include "strata/write/onnx.h"
#include "strata/zoo/zoo.h"

namespace strata {

Result<ZooExport> run_zoo_export(const ZooExportRequest& request) {
  std::string_view name = request.network;
  if (name.starts_with(zoo::kPrefix)) name.remove_prefix(zoo::kPrefix.size());
  const auto network = zoo::build(name);
  if (!network) return failure(network);
  ZooExport out{request.output.empty() ? fmt::format("{}.onnx", name.substr(0, name.find('?')))
                                       : request.output,
                count(network->model).total.params};
  WriteOptions write;
  if (request.seed) write.fill = build::random_weights(network->model, *request.seed);
  if (auto status = write_onnx(network->model, out.path, write); !status) return failure(status);
  std::error_code error;
  out.bytes = std::filesystem::file_size(out.path, error);
  if (error) return failure(fmt::format("{}: {}", out.path, error.message()));
  return out;
}

}  // namespace strata
