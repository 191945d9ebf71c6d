// The arguments of a node, as the file has them and as a Node has them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "read/pt2/loading.h"

namespace strata::pt2 {

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
  std::uint32_t first = 0, count = 0;  // Tensors: in NodeText::tensors
  decltype(Attribute::value) value = {};
  std::string_view graph;  // the JSON text of a Graph, or the unknown kind's name
};

// A node as it is in the file.
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
// Adds the names of the tensors of an Argument; what is no tensor adds nothing.
void read_tensor_names(JsonText& json, std::vector<std::string_view>& names);

// The target, taken apart: `aten` and `conv2d`; `aten` and `add.Tensor`.
struct Operator {
  std::string_view domain, op;
};
Operator operator_of(std::string_view target);

// Inputs and attributes of an operator: in the order and with the defaults of its schema, or as the
// file has them if it has none.
struct Operands {
  std::vector<std::string_view> inputs;  // names; empty: left out
  std::vector<Attribute> attributes;
};
void arrange(const Operator& op, const NodeText& text, Operands& out);

}  // namespace strata::pt2
