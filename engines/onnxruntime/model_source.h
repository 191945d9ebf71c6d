// The model that a session is made from, and the changes that it needs first.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/scratch_folder.h"
#include "strata/engine/plugin.h"
#include "strata/graph/graph.h"
#include "strata/read/source.h"

namespace strata::ort {

class ModelSource {
 public:
  // `changeable`: the session will be recreated, or its nodes must have names. Throws Failure if
  // the file does not exist or is not a model, or if it lacks a value to fetch.
  ModelSource(const StrataOpen& open, bool changeable);

  // Returns the path that ONNX Runtime opens: the file itself if nothing was changed, a copy of it,
  // or bytes.
  const std::string& path() const { return copy_.empty() ? path_ : copy_; }
  std::string_view bytes() const { return bytes_; }
  bool from_file() const { return bytes_.empty(); }
  // The folder for weights outside `bytes`; empty if they are in memory.
  std::string folder() const;
  const std::vector<StrataStored>& stored() const { return stored_; }

  // The model as strata reads it, with every node named as node_keys() names it; null if it was not
  // needed. It consists of views into the file.
  Model* model() { return model_ ? &*model_ : nullptr; }
  void forget_model() { model_.reset(); }
  bool adds_outputs() const { return watched_.empty() && (!with_more_.empty() || !copy_.empty()); }
  // Values that are watched while the model runs, by their numbers.
  const std::vector<std::string>& watched() const { return watched_; }
  // For sessions that are made only once, after that has happened.
  void forget_source() {
    bytes_ = {};
    kept_ = std::string();
    with_more_ = std::string();
    scratch_.reset();
  }
  Model& read();  // for a sentence that names a node

 private:
  void name_nodes();
  void add_values(const std::vector<std::string>& names, bool watched);
  bool copy_with(const std::string& more);

  std::string path_;
  Source file_;            // at that path: mapped when it is first read, and once
  std::string kept_;       // with names added, or kept for later
  std::string with_more_;  // the same with values to fetch
  std::unique_ptr<ScratchFolder> scratch_;
  std::string copy_;  // in the folder: the file with values to fetch
  std::string_view bytes_;
  std::vector<std::string> watched_;
  std::vector<StrataStored> stored_;
  std::vector<std::string> locations_;
  std::optional<Model> model_;
};

}  // namespace strata::ort
