// Another batch for a file that was made for a fixed one. Such a file has the batch in its inputs,
// and again in the sizes that it stores for Reshape, Expand and Resize.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "strata/graph/graph.h"

namespace strata {

// The first axis of the inputs, if it is a number in all of them; nullopt if it is open, or if
// there is none.
std::optional<std::int64_t> fixed_batch(const Graph& graph);

class Rebatch {
 public:
  // `model` has been inferred with the file's own batch, `from`. Forgets what was inferred, but
  // keeps the shapes to compare with.
  Rebatch(Model& model, std::int64_t from, std::int64_t to);

  // To be called before a node of the network's own graph is inferred again, when its inputs are
  // known. If a list of sizes that the node reads contains the batch, the node gets another list.
  // Returns nodes that must run before it: a stored tensor that is joined to every sample (the
  // class token of a vision transformer) is repeated.
  std::vector<Node> adjust(Node& node);
  // To be called after a node was inferred again.
  void made(const Node& node);

 private:
  using Sizes = std::vector<std::int64_t>;
  std::optional<Sizes> sizes_of(TensorId id) const;
  std::optional<std::size_t> changed_axis(TensorId id) const;
  std::optional<std::int64_t> outside(TensorId id) const;
  std::optional<std::size_t> axis_after_reshape(const Node& node) const;
  std::optional<std::size_t> batch_axis(const Node& node, const Sizes& sizes, bool reshapes) const;
  TensorId stored(TensorId like, const Sizes& sizes);
  TensorId add_tensor(Tensor tensor);
  bool is_one_sample(TensorId id) const;
  std::vector<Node> repeat_inputs(Node& node);
  void set_input(Node& node, std::size_t slot, TensorId id);

  Model& model_;
  Graph& graph_;
  const std::int64_t from_, to_;
  std::vector<Dims> before_;  // by tensor
  // For each tensor: how often the batch is repeated within the axis that contains it. 197 texts of
  // a batch of 4 may be one axis of 788; if the batch is the inner part, this is 197, else 1.
  std::vector<std::int64_t> inside_;
};

}  // namespace strata
