#include "read/hugging_face/folder.h"

#include <filesystem>

#include "base/json_text.h"
#include "base/mapped_file.h"
#include "base/python_json.h"

namespace strata::hugging_face {

namespace fs = std::filesystem;

bool names_network(const JsonFields::Json& config) {
  return config.is_object() && (config.contains("architectures") || config.contains("model_type"));
}

bool is_folder(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return false;
  const std::string config = (fs::path(path) / "config.json").string();
  if (!fs::exists(config, error)) return false;
  bool has_programs = false;  // .pt2
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".onnx") return false;
    has_programs = has_programs || at->path().extension() == ".pt2";
  }
  if (!has_programs) return true;  // building it says what is wrong with its config.json
  const auto file = MappedFile::open(config);
  if (!file || (*file)->bytes().size() > kLargestConfig) return false;
  return names_network(json_from_text(json_from_python((*file)->bytes()), kDeepest));
}

}  // namespace strata::hugging_face
