// The job behind `strata zoo export`: a network of the zoo as an ONNX file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "strata/base/expr.h"
#include "strata/base/result.h"

namespace strata {

struct ZooExportRequest {
  std::string network;                    // `mobilenet_v2?width=0.5`, with or without `zoo:`
  std::string output = {};                // empty: the network's name, and `.onnx`
  std::optional<std::uint64_t> seed = 0;  // of random weights; nullopt: there are none, which
                                          // engines refuse
};

struct ZooExport {
  std::string path;
  Expr params;
  std::uint64_t bytes = 0;  // of the file
};

Result<ZooExport> run_zoo_export(const ZooExportRequest& request);
// The bytes of the file; `output` is not looked at.
Result<std::string> zoo_export_bytes(const ZooExportRequest& request);

}  // namespace strata
