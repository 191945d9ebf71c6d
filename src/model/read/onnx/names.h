// The meaning of names: the values of one graph, or of one function call whose nodes go into that
// graph.
#pragma once

#include <string_view>
#include <vector>

#include "base/name_table.h"
#include "read/onnx/loading.h"

namespace strata::onnx {

// The tensor is used, but where it comes from is not known yet.
inline bool is_open(const Tensor& tensor) {
  return tensor.role == Role::Activation && tensor.producer == kNone;
}

class Names {
 public:
  // The names of a graph; `outer` is where a body looks up names that it does not define.
  Names(Loading& loading, Graph& graph, Names* outer)
      : loading_(loading),
        graph_(graph),
        outer_(outer),
        in_call_(outer != nullptr && (outer->in_call_ || !outer->prefix_.empty())) {}
  // The names of a call inside the graph of `caller`; new names get `prefix`, which is not empty.
  Names(Loading& loading, Names& caller, std::string_view prefix)
      : loading_(loading), graph_(caller.graph_), outer_(nullptr), prefix_(prefix) {}

  void reserve(std::size_t names) { table_.reserve(names); }
  Graph& graph() const { return graph_; }
  Names* outer() const { return outer_; }

  // The tensor with this name, which may be defined later. kNone for "" and for an argument that
  // the call left out.
  TensorId use(std::string_view name);
  TensorId find(std::string_view name) const;  // kNone if the name was never used or defined

  // The tensor that is being defined: a new one, or one that is open. An error if the name has been
  // defined before.
  TensorId define(std::string_view name);

  // For a call: binds its parameter to a tensor of the caller (kNone: left out).
  void bind_input(std::string_view parameter, TensorId argument);
  // For a call: binds its result to an open tensor of the caller. False if the name already stands
  // for an argument or another result.
  bool bind_output(std::string_view result, TensorId target);
  // Claims a name for a generated tensor; false if it is taken.
  bool claim(std::string_view name, TensorId id) { return table_.insert(name, id).is_new; }

  // The tensors that this call generated.
  const std::vector<TensorId>& made() const { return made_; }
  TensorId new_tensor(std::string_view name) {
    loading_.count_tensor();
    const auto id = static_cast<TensorId>(graph_.tensors.size());
    graph_.tensors.emplace_back().name = name;
    return id;
  }

 private:
  // Flag in a table value: an argument, which the function must not define.
  static constexpr std::uint32_t kArgument = 0x80000000;
  static constexpr std::uint32_t kNumber = 0x7fffffff;
  static TensorId tensor_of(std::uint32_t value) {
    return (value & kNumber) == kNumber ? kNone : value & kNumber;
  }
  TensorId make(std::string_view name) {
    return prefix_.empty() ? new_tensor(name) : make_in_call(name);
  }
  TensorId make_in_call(std::string_view name);
  bool is_left_out(std::string_view name) const;
  [[noreturn]] void defined_twice(std::string_view name, std::uint32_t first) const;

  Loading& loading_;
  Graph& graph_;
  Names* outer_;
  bool in_call_ = false;  // one of the outer ones belongs to a call
  std::string_view prefix_;
  NameTable table_;
  std::size_t next_weight_ = 0;  // the name after that of the weight that was used last
  std::vector<TensorId> made_;
};

}  // namespace strata::onnx
