// Tells Hugging Face folders from folders of models.
#pragma once

#include <cstddef>
#include <string>

#include "base/json_fields.h"

namespace strata::hugging_face {

// Limits for config.json.
inline constexpr std::size_t kLargestConfig = std::size_t{1} << 20;
inline constexpr int kDeepest = 16;

// True if a config.json says which network it is.
bool names_network(const JsonFields::Json& config);

// True for a folder with a config.json and no models: no ONNX files and, unless config.json names
// an architecture, no .pt2 files.
bool is_folder(const std::string& path);

}  // namespace strata::hugging_face
