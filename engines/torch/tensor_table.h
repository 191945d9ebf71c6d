// The tensors of a recorded run, each result of a call under a number of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "torch_api.h"

namespace strata::libtorch {

class TensorTable {
 public:
  // The number of a tensor that is read; one that has not been seen gets a number.
  std::int64_t number(const at::Tensor& tensor);
  // The number of a tensor as a call has just made or changed it.
  std::int64_t made(const at::Tensor& tensor);

  // The numbers of all tensors in it, in order, and in lists, tuples and dictionaries.
  std::vector<std::int64_t> numbers(const c10::IValue& value);
  std::vector<std::int64_t> made(const c10::IValue& value);

  const std::string& rows() const { return rows_; }  // JSON, with commas between

 private:
  std::int64_t storage(const at::Tensor& tensor);

  std::unordered_map<const void*, std::int64_t> now_, storages_;
  // A tensor's elements are freed as in any run, but its address is not used for another one.
  std::vector<c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>> held_;
  std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>> held_storages_;
  std::string rows_;
  std::int64_t count_ = 0;
};

// All tensors in a value, in order; in lists, tuples and dictionaries, too.
void for_each_tensor(const c10::IValue& value, const std::function<void(const at::Tensor&)>& each);

}  // namespace strata::libtorch
