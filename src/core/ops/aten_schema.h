// The arguments of PyTorch's operators: names in order, kinds, defaults and results, as torch's own
// schemas have them. Exported programs leave out arguments that have their default values.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "strata/graph/graph.h"

namespace strata {

// An argument or a result. Not copied, since a default may point into it.
class AtenArgument {
 public:
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

  // Reads `int[] stride=[1, 1]`, as a line of data/aten_schemas.txt has it.
  explicit AtenArgument(std::string_view text);
  AtenArgument(AtenArgument&&) = default;
  AtenArgument& operator=(AtenArgument&&) = default;

  std::string_view name() const { return attribute_.name; }
  bool required() const { return otherwise == Default::Required; }
  // True if it is one or more inputs of a node, and not an attribute.
  bool is_tensor() const { return kind <= Kind::OptionalTensors; }
  bool is_list_of_tensors() const { return kind == Kind::Tensors || kind == Kind::OptionalTensors; }
  // The attribute that a node gets if it does not state it; without a value if the default is none.
  // The attribute points to storage that is never freed.
  Attribute default_attribute() const { return attribute_; }

  Kind kind = Kind::Other;
  Default otherwise = Default::Required;

 private:
  void read_default(std::string_view text);
  void read_number(std::string_view text);
  void read_list(std::string_view items);

  Attribute attribute_;
  std::vector<std::int64_t> ints_;
  std::vector<float> floats_;
};

class AtenSchema {
 public:
  // `line` is one of data/aten_schemas.txt.
  explicit AtenSchema(std::string_view line);

  std::string_view name() const { return name_; }
  std::span<const AtenArgument> arguments() const { return arguments_; }
  std::span<const AtenArgument> results() const { return results_; }

 private:
  std::string_view name_;
  std::vector<AtenArgument> arguments_, results_;
};

// The schema of an operator and overload as a node has it (`conv2d`, `add_.Tensor`); nullptr if the
// table has none.
const AtenSchema* find_aten_schema(std::string_view op);
// All of them, sorted by name.
std::vector<const AtenSchema*> aten_schemas();

}  // namespace strata
