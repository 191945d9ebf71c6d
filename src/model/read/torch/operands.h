// The arguments of a call of an operator, as a file has them and as a Node has them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "strata/graph/graph.h"

namespace strata::torch {

struct Argument {
  enum class Kind : std::uint8_t {
    Nothing,  // None
    Tensors,  // one tensor, or a list
    Value,    // a number, a text, or a list of them; without a value if only a run decides
    Graph,    // a body
    Unknown,  // of a kind that this version does not know
  };
  std::string_view name;  // as the operator's schema has it; empty for bodies and their operands
  Kind kind = Kind::Nothing;
  bool is_list = false;
  std::uint32_t first = 0, count = 0;  // Tensors: in the caller's list of the call's tensors
  decltype(Attribute::value) value = {};
  std::string_view graph;  // the JSON text of a Graph, or the unknown kind's name
};

// The target, taken apart: `aten` and `conv2d`; `aten` and `add.Tensor`.
struct Operator {
  std::string_view domain, op;
};
// `target` is what Python prints of an operator without `torch.ops.`: `aten.conv2d.default`.
Operator operator_of(std::string_view target);

// Inputs and attributes of an operator: in the order and with the defaults of its schema, or as the
// file has them if it has none.
struct Operands {
  std::vector<std::uint32_t> inputs;  // in the caller's list of the call's tensors; kNone: left out
  std::vector<Attribute> attributes;
};
void arrange(const Operator& op, std::span<const Argument> arguments, Operands& out);

}  // namespace strata::torch
