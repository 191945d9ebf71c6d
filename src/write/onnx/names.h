// The names that values have in the written file.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_table.h"
#include "strata/graph/graph.h"

namespace strata::onnx {

// Of one graph. Values without a name get one. What a body takes from outside has
// the name it has there, and what hides such a name gets another: in a Model values
// are told apart by numbers, in a file only by names.
class WrittenNames {
 public:
  // `outer` is that of the graph around a body, null for the network.
  WrittenNames(const Graph& graph, const WrittenNames* outer);

  std::string_view of(TensorId id) const { return id == kNone ? std::string_view() : names_[id]; }

 private:
  void add(const Graph& graph, TensorId id);
  bool is_outside(std::string_view name) const;
  void make_up(TensorId id, std::string_view like);

  const WrittenNames* outer_;
  std::vector<std::string_view> names_;  // by TensorId
  std::vector<TensorId> unnamed_;
  NameTable taken_;
  std::deque<std::string> made_up_;
};

}  // namespace strata::onnx
