// Who reads each tensor of a network's own graph, and which inputs are stored in the file.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "strata/graph/graph.h"

namespace strata {

struct Reader {
  NodeId node = kNone;
  std::uint32_t slot = 0;  // of the node's inputs
};

class Links {
 public:
  explicit Links(const Model& model);

  std::span<const Reader> readers(TensorId id) const {
    return std::span(readers_).subspan(starts_[id], starts_[id + 1] - starts_[id]);
  }
  // An output of the network, or read in a body: its readers are not all.
  bool leaves(TensorId id) const { return leaves_[id]; }
  // The node that alone reads it, however often; kNone if there is no such node.
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
// Through Constant, Identity and the Transpose of a matrix; nullopt for what is computed.
// Also one that callers of the model may replace: exporters list all weights like that.
std::optional<StoredInput> stored_input(const Graph& graph, TensorId id);

// The one number that a stored tensor of one element holds.
std::optional<double> stored_number(const Graph& graph, TensorId id);

// Computed from stored tensors alone: the same in every run.
std::vector<bool> constant_tensors(const Graph& graph);

}  // namespace strata
