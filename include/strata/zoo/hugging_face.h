// Folders of Hugging Face's transformers: config.json says which network it is and how large, and
// the network is built from that. Weights are not needed.
#pragma once

#include <string>
#include <string_view>

#include "strata/base/result.h"
#include "strata/build/builder.h"

namespace strata::zoo {

// Whether a folder has a config.json that names an architecture, and no ONNX models.
bool is_hugging_face(const std::string& folder);

// Whether the model at a path is no file, but built when it is needed, without weights: a network
// of the zoo, or a folder of Hugging Face's.
bool is_built(const std::string& path);

// The network of a folder. `batch` and `sequence` are sizes or symbols.
Result<build::Network> build_folder(const std::string& folder, const Expr& batch,
                                    const Expr& sequence);
// The network of a config.json in memory; `label` names it in errors.
Result<build::Network> build_config(std::string_view json, std::string_view label,
                                    const Expr& batch, const Expr& sequence);

}  // namespace strata::zoo
