#include "model_file.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "failure.h"
#include "strata/read/read.h"

namespace strata::openvino {

namespace {

namespace fs = std::filesystem;

// Says which node it is, if OpenVINO has no operator of its kind.
void name_missing_operator(const Model& source, Failure& failure) {
  const std::size_t list = failure.message.find("No conversion rule found for operations:");
  if (list == std::string::npos) return;
  std::string_view missing = std::string_view(failure.message).substr(list);
  missing = missing.substr(0, missing.find(" -- "));  // what failed because of that comes next
  for (const Graph& graph : source.graphs)
    for (const Node& node : graph.nodes) {
      const std::string whole =
          node.domain.empty() ? std::string(node.op) : fmt::format("{}.{}", node.domain, node.op);
      if (missing.find(whole) == missing.npos) continue;
      failure.status = STRATA_UNSUPPORTED;
      failure.message =
          fmt::format("has no operator {} of domain {}, which node \"{}\" is", node.op,
                      node.domain.empty() ? "ai.onnx" : node.domain, node.name);
      return;
    }
}

}  // namespace

ov::Core& core() {
  static auto* core = new ov::Core;  // never destroyed: its threads may outlive static objects
  return *core;
}

ModelFile::ModelFile(const StrataOpen& open) {
  if (open.path != nullptr) {
    path_ = open.path;
    std::error_code error;
    if (!fs::is_regular_file(path_, error))
      throw Failure{STRATA_FAILED, fmt::format("there is no file {}", path_)};
    source_ = value_or_throw(read_model(path_));
    return;
  }
  bytes_.assign(static_cast<const char*>(open.model), open.model_bytes);
  if (bytes_.empty()) throw Failure{STRATA_FAILED, "the model is empty"};
  source_ = value_or_throw(read_onnx(bytes_, "the model"));
  if (open.stored_count != 0) write_stored(open);
}

// OpenVINO takes such elements only from files.
void ModelFile::write_stored(const StrataOpen& open) {
  folder_.emplace(value_or_throw(ScratchFolder::create()));
  const auto write = [&](const std::string& name, std::string_view bytes) {
    const fs::path path = fs::path(name).lexically_normal();
    if (path.is_absolute() || path.empty() || *path.begin() == "..")
      throw Failure{STRATA_FAILED,
                    fmt::format("the model's weights are in \"{}\", which is outside "
                                "of its folder",
                                name)};
    const fs::path place = fs::path(folder_->path()) / path;
    fs::create_directories(place.parent_path());
    std::ofstream file(place, std::ios::binary);
    if (!file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush())
      throw Failure{STRATA_FAILED, fmt::format("cannot write {}", place.string())};
  };
  const std::string name = "strata model.onnx";
  for (std::uint64_t i = 0; i < open.stored_count; ++i)
    write(open.stored[i].location,
          {static_cast<const char*>(open.stored[i].data), open.stored[i].bytes});
  write(name, bytes_);
  path_ = *folder_ / name;
}

std::shared_ptr<ov::Model> ModelFile::read() {
  try {
    return path_.empty() ? core().read_model(bytes_, ov::Tensor()) : core().read_model(path_);
  } catch (...) {
    Failure failure = current_failure();
    name_missing_operator(*source_, failure);
    throw failure;
  }
}

}  // namespace strata::openvino
