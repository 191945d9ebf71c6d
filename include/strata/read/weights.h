// Files of weights without a network: safetensors, PyTorch's state dicts, GGUF. Only what describes
// the tensors is read. Elements are never touched, and nothing in a file is ever executed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/base/result.h"
#include "strata/read/read.h"

namespace strata {

struct StoredWeight {
  std::string name;                     // `model.layers.0.mlp.up_proj.weight`
  std::string type = {};                // of the elements: `bf16`, or of blocks of them: `Q4_K`
  std::vector<std::int64_t> dims = {};  // outermost first
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;   // in the file
  std::string same_as = {};  // an earlier tensor with the same elements; empty: it has its own
  bool statistics = false;   // a running mean or its like: kept with the weights, but not learned
  std::size_t file = 0;      // index into Weights::files

  // 4.5 of Q4_K. 0 for a tensor without elements.
  double bits_per_weight() const;
};

struct Weights {
  std::string path;                   // as the caller named it
  std::string format;                 // `safetensors`, `PyTorch state dict`, `GGUF`
  std::vector<std::string> files;     // that hold the elements: the path itself, or its shards
  std::uint64_t file_bytes = 0;       // of all of them
  std::string quantization = {};      // `Q4_K_M`, as the file says; empty: it does not say
  std::vector<StoredWeight> tensors;  // in the file's order
  std::vector<std::pair<std::string, std::string>> properties = {};  // what the file says of itself
  // Properties of a GGUF file that are numbers or short lists of them; of a list of texts, how many
  // there are.
  std::vector<std::pair<std::string, std::vector<double>>> numbers = {};
  std::vector<std::string> notes = {};  // a sentence each
};

// The sums of some tensors. A tensor that shares the elements of another one adds nothing.
struct WeightTotals {
  std::uint64_t tensors = 0, shared = 0;
  std::uint64_t params = 0;      // elements that are not statistics
  std::uint64_t statistics = 0;  // elements that are
  std::uint64_t bytes = 0;

  void add(const StoredWeight& weight);
  double bits_per_weight() const;  // 0 if there are no elements
};
WeightTotals totals_of(const Weights& weights);

// Reads a file of weights, or the index of a safetensors model in several files.
Result<Weights> read_weights(const Source& source, const ReadOptions& options = {});
// From memory; `label` names the file in errors. An index needs the files beside it, so it is not
// taken.
Result<Weights> read_weights(std::string_view bytes, const std::string& label,
                             const ReadOptions& options = {});

}  // namespace strata
