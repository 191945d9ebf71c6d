// A node as the file has it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "read/pt2/loading.h"
#include "read/torch/operands.h"

namespace strata::pt2 {

using torch::Argument;
using torch::Operands;
using torch::Operator;

struct NodeText {
  std::string_view target;  // `torch.ops.aten.conv2d.default`
  std::string_view name;
  std::string_view stack;  // the modules around it
  std::vector<Argument> arguments;
  std::vector<std::string_view> tensors;  // names; empty for None
  std::vector<std::string_view> outputs;  // likewise

  void clear();
  std::span<const std::string_view> tensors_of(const Argument& argument) const {
    return std::span(tensors).subspan(argument.first, argument.count);
  }
};

// Reads a Node into `text`, which is cleared first.
void read_node(Loading& loading, JsonText& json, NodeText& text);
// Adds the names of the tensors of an Argument; what is not a tensor adds nothing.
void read_tensor_names(JsonText& json, std::vector<std::string_view>& names);

// The operator of a node's target, which Python's own functions are, too: `_operator.mul`.
Operator operator_of_node(std::string_view target);

}  // namespace strata::pt2
