// The values of a plan: tensors, numbers, texts and lists, which instructions name by number.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "read/executorch/loading.h"
#include "read/executorch/schema_table.h"

namespace strata::executorch {

// Where the plan puts a tensor.
struct Allocation {
  bool is_planned = false;
  std::uint32_t memory = 0;
  std::uint64_t offset = 0;
};

class Values {
 public:
  Values(Loading& loading, const Table& plan);

  std::uint32_t count() const { return list_.count; }
  // NONE for numbers below zero, which stand for values that are left out.
  ValueType type(std::int32_t number) const;
  bool is_tensor(std::int32_t number) const { return type(number) == ValueType::Tensor; }
  // The tensors of a list.
  std::vector<std::int32_t> items(std::int32_t number) const;
  // The value of an attribute; monostate if only a run decides.
  decltype(Attribute::value) attribute(std::int32_t number) const;
  // A call computes this number, so that the one in the file is only an example.
  void computes(std::int32_t number);

  TypeInfo tensor_type(std::int32_t number) const;
  Allocation allocation(std::int32_t number) const;
  // The name that the file states; mostly empty.
  std::string_view name(std::int32_t number) const;
  // Its elements are in the file, or in another one.
  bool is_stored(std::int32_t number) const;
  // The buffer with its elements: tensors with equal elements share one.
  std::uint32_t buffer(std::int32_t number) const;
  bool requires_grad(std::int32_t number) const;
  // A stored tensor that keeps its elements while the program runs.
  bool is_constant(std::int32_t number) const;
  TensorData stored(std::int32_t number) const;

 private:
  // The table of a value's own type.
  Table table(std::int32_t number) const;
  std::span<const std::int64_t> sizes(std::int32_t number) const;

  Loading& loading_;
  List list_;
  std::vector<bool> is_computed_;
};

// The type with this number in PyTorch.
DType dtype_of(std::int8_t scalar_type);

}  // namespace strata::executorch
