// The arguments of PyTorch's operators: names in order, kinds, defaults and results, as torch's own
// schemas have them. Exported programs leave out arguments that have their default values.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "strata/graph/graph.h"

namespace strata {

// An argument or a result. Eight bytes without pointers, so that the table needs no work at the
// start of the program.
struct AtenArgument {
  enum class Kind : std::uint8_t {
    Tensor,
    OptionalTensor,
    Tensors,          // a list of tensors
    OptionalTensors,  // a list whose elements may be absent: the indices of `index.Tensor`
    Int,
    Float,
    Bool,
    Text,
    Scalar,  // an int or a float
    Ints,
    Floats,
    Other,  // dtype, layout, device, memory format: no rule needs it
  };
  enum class Default : std::uint8_t {
    Required,  // there is none
    Nothing,   // None, or one of a kind that no rule needs
    Int,       // also of a bool
    Float,
    Text,
    Ints,
    Floats,
  };
  std::uint16_t name_at;
  std::uint8_t name_size;
  Kind kind;
  Default otherwise;
  std::uint8_t size;  // of a default that is a list or a text
  std::uint16_t at;   // where the default is

  std::string_view name() const;
  bool required() const { return otherwise == Default::Required; }
  // Whether it is one or more inputs of a node, and not an attribute.
  bool is_tensor() const { return kind <= Kind::OptionalTensors; }
  bool is_list_of_tensors() const { return kind == Kind::Tensors || kind == Kind::OptionalTensors; }
  // The attribute that a node gets if it does not state it; without a value if the default is none.
  // What it points to is never freed.
  Attribute default_attribute() const;
};

struct AtenSchema {
  std::uint16_t name_at;
  std::uint8_t name_size;
  std::uint8_t argument_count, result_count;
  std::uint16_t first;

  std::string_view name() const;
  std::span<const AtenArgument> arguments() const;
  std::span<const AtenArgument> results() const;
};

// The schema of an operator and overload as a node has it (`conv2d`, `add_.Tensor`); nullptr if the
// table has none.
const AtenSchema* find_aten_schema(std::string_view op);
// All of them, sorted by name.
std::span<const AtenSchema> aten_schemas();

}  // namespace strata
