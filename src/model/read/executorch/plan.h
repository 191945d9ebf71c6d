// A plan: the instructions of one method, in the order in which they run.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "read/executorch/loading.h"
#include "read/executorch/values.h"
#include "read/torch/operands.h"

namespace strata::executorch {

class PlanReader {
 public:
  PlanReader(Loading& loading, const Table& plan);
  void read();

  Loading& loading() { return loading_; }
  const Values& values() const { return values_; }
  // The tensor that a value holds now. What nothing has made is stored, a view of what is at the
  // same place in memory, or state of an earlier run. `reader` names who asks: `convolution` and
  // the argument `weight`.
  TensorId use(std::int32_t value, std::string_view reader, std::string_view argument);
  // The tensor that a value holds from now on.
  TensorId make(std::int32_t value, std::string_view maker);
  // True if an input, an instruction or a stored tensor has given it elements.
  bool has(std::int32_t value) const;
  TensorId new_tensor(std::string_view name, TypeInfo type, Role role);

 private:
  struct Place {  // of a tensor that was made
    std::uint32_t memory;
    std::uint64_t offset;
    std::int32_t value;
  };
  void read_instruction(const Table& instruction, std::uint32_t index);
  void call_kernel(const Table& call);
  void call_delegate(const Table& call);
  void move(const Table& call);
  void jump(const Table& call, std::uint32_t index);
  TensorId stored(std::int32_t value, std::string_view reader, std::string_view argument);
  // The value whose memory this one shares; -1 if there is none.
  std::int32_t viewed(std::int32_t value) const;
  void hold_unread();
  void note_memory();

  Loading& loading_;
  const Table plan_;
  Values values_;
  List operators_, delegates_;
  std::vector<TensorId> ids_;        // by value; kNone: nothing yet
  NumberMap<std::int32_t> last_at_;  // values that were made last, by their places
  bool any_learned_ = false;
  // These belong to the call that is being read.
  std::vector<torch::Argument> arguments_;
  std::vector<TensorId> tensors_, inputs_, outputs_;
  torch::Operands operands_;
  std::uint32_t delegates_called_ = 0;
};

}  // namespace strata::executorch
