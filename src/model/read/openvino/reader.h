// OpenVINO's intermediate representation (IR): a .xml file with layers, types and edges, and a .bin
// file with the elements of constants.
#pragma once

#include <string>
#include <string_view>

#include "strata/graph/graph.h"
#include "strata/read/read.h"

namespace strata::openvino {

bool looks_like_network(std::string_view bytes);
// `path` names the file in errors; the .bin file of the same name is looked for beside it.
Result<Model> read(std::string_view bytes, const std::string& path, const ReadOptions& options);

}  // namespace strata::openvino
