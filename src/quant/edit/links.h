// The readers of each tensor in a network's main graph, and the inputs that are stored in the file.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "strata/graph/graph.h"

namespace strata {

struct Reader {
  NodeId node = kNone;
  std::uint32_t slot = 0;  // index among the node's inputs
};

class Links {
 public:
  explicit Links(const Model& model);

  std::span<const Reader> readers(TensorId id) const {
    return std::span(readers_).subspan(starts_[id], starts_[id + 1] - starts_[id]);
  }
  // True for an output of the network and for a tensor read in a body: the listed readers are not
  // all.
  bool leaves(TensorId id) const { return leaves_[id]; }
  // The only node that reads the tensor, however often; kNone if there is no such node.
  NodeId only_reader(TensorId id) const;

 private:
  std::vector<Reader> readers_;
  std::vector<std::uint32_t> starts_;
  std::vector<bool> leaves_;
};

// A tensor whose elements are in the file.
struct StoredInput {
  const TensorData* data = nullptr;
  bool transposed = false;  // a matrix, stored the other way round
};
// Looks through Constant, Identity and the Transpose of a matrix; nullopt for computed tensors.
// Inputs with a default count as stored, although callers may replace them: some exporters list all
// weights that way.
std::optional<StoredInput> stored_input(const Graph& graph, TensorId id);

// The one number that a stored tensor of one element holds.
std::optional<double> stored_number(const Graph& graph, TensorId id);

// Tensors computed from stored tensors alone, which are the same in every run.
std::vector<bool> constant_tensors(const Graph& graph);

}  // namespace strata
