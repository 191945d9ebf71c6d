// Folders of Hugging Face's transformers: config.json says which network it is and how large, and
// the network is built from that. Weights are not needed.
#pragma once

#include <string>
#include <string_view>

#include "strata/base/result.h"
#include "strata/build/builder.h"

namespace strata::zoo {

// True for a folder with a config.json and no models: no ONNX files and, unless config.json names
// an architecture, no .pt2 files. build_folder() says what is wrong with a config.json.
bool is_hugging_face(const std::string& folder);

// True if build_folder() has a network of the folder's class in the type that its weights have:
// f32, f16 or bf16, and not quantized.
bool can_build(const std::string& folder);

// The network of a folder. `batch` and `sequence` are sizes or symbols.
Result<build::Network> build_folder(const std::string& folder, const Expr& batch,
                                    const Expr& sequence);
// The network of a config.json in memory; `label` names it in errors.
Result<build::Network> build_config(std::string_view json, std::string_view label,
                                    const Expr& batch, const Expr& sequence);

}  // namespace strata::zoo
