// State that all parts of one read share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "read/executorch/storage.h"
#include "read/onnx/scopes.h"
#include "read/torch/counting.h"
#include "strata/base/text_map.h"
#include "strata/graph/graph.h"
#include "strata/read/read.h"

namespace strata::executorch {

// Delegates that strata does not open, and values that only their devices know.
inline constexpr std::string_view kDelegate = "executorch.delegate";

// Facts about the whole file, for its notes.
struct Counts {
  std::int64_t bounded = 0;  // tensors of which the file states the largest size
  std::int64_t opened = 0;   // delegates that strata reads
  std::int64_t opened_nodes = 0;
  std::int64_t branches = 0, loops = 0;
  std::int64_t outside = 0;  // tensors in other files
  std::int64_t states = 0;
  std::vector<std::pair<std::string, std::uint64_t>> closed;  // other delegates, and their bytes
};

struct Loading : torch::Counting {
  Loading(Model& made, const ReadOptions& limits, const Wire& bytes, const Table& root)
      : Counting{made, limits},
        wire(bytes),
        program(root),
        scopes(made),
        storage(*this, bytes, root) {}

  const Wire& wire;
  const Table program;
  onnx::ScopeTree scopes;
  const Storage storage;
  Counts counts;
  NumberMap<const TensorData*>
      weight_at;  // stored tensors of delegates, by their places in the file

  // `convolution`, and `convolution_1` for the second node of that name.
  std::string_view numbered(std::string_view scope, std::string_view op);
  // A text of this model that is counted.
  std::string_view kept(std::string text);
  // The sizes of a list of integers.
  template <class T>
  std::vector<T> integers(const Wire& bytes, const Table& table, std::uint16_t slot) {
    const List list = table.list(slot, sizeof(T));
    count_list_items(list.count);
    std::vector<T> numbers(list.count);
    for (std::uint32_t i = 0; i < list.count; ++i) numbers[i] = bytes.item<T>(list, i);
    return numbers;
  }
  // Appends a node and places it in the tree of modules: nodes with a path as a name.
  NodeId add(Node node, std::span<const TensorId> inputs, std::span<const TensorId> outputs,
             std::span<const Attribute> attributes);

 private:
  TextMap<std::string, int> times_;  // names given
};

}  // namespace strata::executorch
