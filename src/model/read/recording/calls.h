// The calls of operators in a recording, and the calls of modules that ran none.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "base/name_table.h"
#include "read/recording/tables.h"
#include "read/torch/operands.h"

namespace strata::recording {

// A call of a module without modules that ran no operator: Dropout in evaluation, Identity.
struct Leaf {
  ScopeId scope = 0;
  std::vector<TensorId> inputs, outputs;
  // The number of calls that ran before it; after all of them, if the recording does not say.
  std::uint64_t before = std::numeric_limits<std::uint64_t>::max();
};
std::vector<Leaf> read_leaves(const Loading& loading, JsonText& json);

// The parts that calls of one operator with the same arguments share: all but the numbers of their
// tensors.
struct Pattern {
  std::string_view target;  // `aten.add.Tensor`
  torch::Operator op;
  std::vector<std::uint32_t> inputs;  // positions among the call's tensors; kNone: left out
  std::span<const Attribute> attributes;
  std::size_t tensors = 0;  // that a call has to name
  std::size_t bytes = 0;    // of its text
};

// Makes nodes of calls. Leaves come in between.
class CallReader {
 public:
  CallReader(Loading& loading, std::vector<Leaf> leaves);
  // To be read before the calls that refer to them.
  void read_patterns(JsonText& json);
  void read(JsonText& json);
  // Adds what is left of the leaves.
  void finish();
  // The tensor that stands for a recorded one now: what a leaf returns is a tensor of its own, also
  // where the module returned its input.
  TensorId now(TensorId recorded) const { return recorded == kNone ? kNone : now_[recorded]; }
  // The node of a call, by the call's number.
  NodeId node_of(std::int64_t call) const;

 private:
  TensorId use(TensorId recorded);  // now(), which nothing may make any more
  void read_call(JsonText& json);
  // Reads the part of a row before the results: all of it, or a pattern and tensors. Sets inputs_.
  void read_written_out(JsonText& json, Row& row, Pattern& pattern);
  const Pattern& read_short(JsonText& json, Row& row);
  void read_operator(JsonText& json, Row& row, Pattern& pattern);
  void read_argument(JsonText& json, torch::Argument& argument);
  void read_list(JsonText& json, torch::Argument& argument);
  void read_reference(JsonText& json, torch::Argument& argument);
  void add_leaf(const Leaf& leaf);
  std::string_view name_of(std::string_view op);
  void name_outputs(const Node& node);

  Loading& loading_;
  std::vector<Leaf> leaves_;
  std::size_t next_leaf_ = 0;
  std::uint64_t calls_ = 0;
  // Leaves are nodes, too: how many calls ran before each of their nodes, in order.
  std::vector<std::uint64_t> leaf_nodes_;
  std::vector<TensorId> now_;
  std::vector<bool> used_;
  NameTable names_;  // how often each operator has been called
  std::vector<Pattern> patterns_;
  std::uint64_t repeated_ = 0;  // bytes of patterns, once for every call that refers to one
  // The arguments of the call that is being read.
  std::vector<torch::Argument> arguments_;
  std::vector<TensorId> tensors_, inputs_;  // tensors_ as the file numbers them
  torch::Operands operands_;
  std::vector<std::int64_t> wholes_;
  std::vector<float> reals_;
  std::vector<std::string_view> texts_;
};

}  // namespace strata::recording
