// ncnn networks (.param): a text with a line for each layer. Weights are in a .bin file beside it,
// which is looked at only for the types of its elements.
#pragma once

#include <string>
#include <string_view>

#include "strata/graph/graph.h"
#include "strata/read/read.h"

namespace strata::ncnn {

bool looks_like_network(std::string_view bytes);
// `path` names the file in errors; the .bin file of the same name is looked for beside it.
Result<Model> read(std::string_view bytes, const std::string& path, const ReadOptions& options);

}  // namespace strata::ncnn
