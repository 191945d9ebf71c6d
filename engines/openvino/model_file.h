// The model that a session is made from: as strata reads it, and as OpenVINO does.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <openvino/runtime/core.hpp>

#include "strata/base/scratch_folder.h"
#include "strata/engine/plugin.h"
#include "strata/graph/graph.h"

namespace strata::openvino {

// One core for the process; it holds the plugins of OpenVINO that were opened.
ov::Core& core();

class ModelFile {
 public:
  // Throws Failure if there is no such file, or if strata cannot read it.
  explicit ModelFile(const StrataOpen& open);

  const Model& source() const { return *source_; }
  Model& source() { return *source_; }
  // Throws Failure with the name of a node, if OpenVINO lacks its operator.
  std::shared_ptr<ov::Model> read();

 private:
  void write_stored(const StrataOpen& open);

  std::string path_;  // empty: the model is in memory
  std::string bytes_;
  std::optional<Model> source_;
  std::optional<ScratchFolder> folder_;  // for elements that are in memory beside the model
};

}  // namespace strata::openvino
