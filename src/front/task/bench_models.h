// Prepares models for engines: a file to open, and elements for the inputs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/base/scratch_folder.h"
#include "strata/task/bench.h"
#include "strata/task/model.h"

namespace strata {

inline constexpr std::string_view kOnnx = "onnx";

struct ReadyFile {
  bool is_onnx() const { return engine_format == kOnnx; }

  std::string file;
  std::string stored = {};         // the precision it computes in, if that is not fp32
  std::optional<double> joules;    // per inference, from counts
  std::string engine_format = {};  // Source::engine_format(); empty: only an engine may know it
  std::string lacks = {};          // why it cannot be run by an engine that needs weights
};

struct ReadyInputs {
  std::string file = {};              // .npz
  std::vector<std::string> mix = {};  // more files like this
  std::string text = {};              // `input f32 1×3×224×224`
  std::int64_t batch = 1;             // samples in an inference
};

// The files of one model. Files that have to be made are written into the folder, each once: a
// network of the zoo, a file with another batch or open sizes, inputs.
class ModelFiles {
 public:
  // Both arguments must outlive this object.
  ModelFiles(const BenchRequest& request, const ScratchFolder& scratch)
      : request_(request), scratch_(scratch) {}

  // `word` is a file or zoo:NAME; batch 0 is its own. A file that strata cannot read is left to
  // the engine as it is. With shapes, there is one file for all shapes.
  Result<ReadyFile> file(const std::string& word, std::int64_t batch);
  // A path in the folder for a file made from another one.
  std::string name_beside(const std::string& file, const std::string& ending) const;
  // Inputs for the first source that strata can read. Of files that it cannot, the shapes are those
  // that the request states.
  Result<ReadyInputs> inputs(const std::vector<std::string>& sources, std::int64_t batch,
                             const std::string& shape);

 private:
  Source source_of(const std::string& word) const;
  Result<ModelRequest> model_with(const std::string& source, std::int64_t batch,
                                  const ShapeChoice* shape) const;
  Result<ModelRequest> open_model(const std::string& source, std::int64_t batch) const;
  Result<std::vector<HostTensor>> tensors_of(const std::vector<std::string>& sources,
                                             std::int64_t batch, const ShapeChoice* shape) const;
  Result<ReadyInputs> inputs_of(const std::vector<std::string>& sources, std::int64_t batch,
                                const ShapeChoice* shape);
  std::string new_file(const char* extension) {
    return scratch_ / (std::to_string(next_++) + extension);
  }

  const BenchRequest& request_;
  const ScratchFolder& scratch_;
  int next_ = 0;
  mutable std::map<std::string, Source> sources_;                       // each opened once
  std::map<std::pair<std::string, std::int64_t>, ReadyFile> files_;     // source, batch
  std::map<std::pair<std::string, std::int64_t>, ReadyInputs> inputs_;  // shape, batch
};

}  // namespace strata
