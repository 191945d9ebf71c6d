// Models made ready for engines: a file to open, and elements for the inputs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/model_options.h"
#include "cli/scratch_folder.h"

namespace strata::cli {

// `min`, `opt` or `max` with the sizes of inputs: `1x3x224x224` for the only one,
// `x:1x16+mask:1x16`, or `sequence:16` for an open size. `mix` has none of its own.
struct ShapeChoice {
  std::string name;
  std::vector<std::pair<std::string, std::string>> sizes;  // of an input or symbol; "": the only
};
// `min=1x3x224x224,opt=…,max=…`: those, and a mix if there are several.
Result<std::vector<ShapeChoice>> parse_shapes(const std::string& text);

// What all variants of a model share.
struct ModelSettings {
  std::vector<std::string> input_shapes;  // NAME=1x3x224x224
  std::vector<std::string> sizes;         // batch=8
  std::vector<std::string> inputs;        // files
  std::vector<ShapeChoice> shapes;
  std::uint64_t seed = 0;  // of inputs and weights that are made up
};

struct ReadyFile {
  std::string file;
  std::string stored = {};       // what it computes in, if that is not fp32
  std::optional<double> joules;  // of an inference, from counts
  bool is_onnx = false;
};

struct ReadyInputs {
  std::string file = {};              // .npz
  std::vector<std::string> mix = {};  // more of them
  std::string text = {};              // `input f32 1×3×224×224`
  std::int64_t batch = 1;             // samples in an inference
};

// What a model computes in, as users call it: `fp32`, `int8`.
std::string stored_precision(const Model& model);

// Of one model: writes what is made up into the folder, each file once. That is a network
// of the zoo, a file with another batch or open sizes, inputs.
class ModelFiles {
 public:
  ModelFiles(const ModelSettings& settings, const ScratchFolder& scratch)
      : settings_(settings), scratch_(scratch) {}

  // `source` is a file or zoo:NAME; batch 0 is its own. What strata cannot read is left to
  // the engine as it is. With shapes, it is one file for all of them.
  Result<ReadyFile> file(const std::string& source, std::int64_t batch);
  // In the folder, for what is made from a file.
  std::string name_beside(const std::string& file, const std::string& ending) const;
  // For the first of the sources that strata can read.
  Result<ReadyInputs> inputs(const std::vector<std::string>& sources, std::int64_t batch,
                             const std::string& shape);

 private:
  Result<ModelOptions> options_for(const std::string& source, std::int64_t batch,
                                   const ShapeChoice* shape) const;
  Result<ModelOptions> open_options(const std::string& source, std::int64_t batch) const;
  Result<ReadyInputs> inputs_of(const std::vector<std::string>& sources, std::int64_t batch,
                                const ShapeChoice* shape);
  std::string new_file(const char* extension) {
    return scratch_ / (std::to_string(next_++) + extension);
  }

  const ModelSettings& settings_;
  const ScratchFolder& scratch_;
  int next_ = 0;
  std::map<std::pair<std::string, std::int64_t>, ReadyFile> files_;     // source, batch
  std::map<std::pair<std::string, std::int64_t>, ReadyInputs> inputs_;  // shape, batch
};

}  // namespace strata::cli
