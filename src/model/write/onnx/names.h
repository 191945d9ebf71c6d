// The names that values have in the written file.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_table.h"
#include "strata/graph/graph.h"

namespace strata::onnx {

// The names of one graph. Values without a name get one. Values that a body captures have the name
// they have outside, and values that would shadow such a name are renamed: a Model identifies
// values by number, a file only by name.
class WrittenNames {
 public:
  // `outer` belongs to the graph around a body; it is null for the network.
  WrittenNames(const Graph& graph, const WrittenNames* outer);

  std::string_view of(TensorId id) const { return id == kNone ? std::string_view() : names_[id]; }

 private:
  void add(const Graph& graph, TensorId id);
  bool is_outside(std::string_view name) const;
  void make_up(TensorId id, std::string_view like);

  const WrittenNames* outer_;
  std::vector<std::string_view> names_;  // indexed by TensorId
  std::vector<TensorId> unnamed_;
  NameTable taken_;
  std::deque<std::string> made_up_;
};

}  // namespace strata::onnx
