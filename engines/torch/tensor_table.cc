#include "tensor_table.h"

#include "json_text.h"

namespace strata::libtorch {

void for_each_tensor(const c10::IValue& value, const std::function<void(const at::Tensor&)>& each) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) each(value.toTensor());
  } else if (value.isTuple()) {
    for (const c10::IValue& item : value.toTupleRef().elements()) for_each_tensor(item, each);
  } else if (value.isTensorList()) {
    for (const at::Tensor& item : value.toTensorVector()) each(item);
  } else if (value.isList()) {
    for (const c10::IValue& item : value.toListRef()) for_each_tensor(item, each);
  } else if (value.isGenericDict()) {
    for (const auto& item : value.toGenericDict()) for_each_tensor(item.value(), each);
  }
}

std::int64_t TensorTable::storage(const at::Tensor& tensor) {
  if (!tensor.has_storage()) return -1;
  const auto* impl = tensor.storage().unsafeGetStorageImpl();
  const auto [place, is_new] =
      storages_.try_emplace(impl, static_cast<std::int64_t>(storages_.size()));
  if (is_new) held_storages_.push_back(tensor.storage().getWeakStorageImpl());
  return place->second;
}

std::int64_t TensorTable::made(const at::Tensor& tensor) {
  const auto [place, is_new] = now_.insert_or_assign(tensor.unsafeGetTensorImpl(), count_);
  if (is_new) held_.emplace_back(tensor.getIntrusivePtr());
  if (count_ > 0) rows_ += ",\n";
  rows_ += fmt::format("[\"{}\",", dtype_name(tensor.scalar_type()));
  add_numbers(rows_, tensor.sizes());
  rows_ += ',';
  const bool strided = tensor.layout() == at::kStrided;
  if (strided && !tensor.is_contiguous())
    add_numbers(rows_, tensor.strides());
  else
    rows_ += "null";
  rows_ += fmt::format(",{},{}]", strided ? storage(tensor) : -1,
                       strided && tensor.has_storage() ? tensor.storage_offset() : 0);
  return count_++;
}

std::int64_t TensorTable::number(const at::Tensor& tensor) {
  const auto known = now_.find(tensor.unsafeGetTensorImpl());
  return known != now_.end() ? known->second : made(tensor);
}

std::vector<std::int64_t> TensorTable::numbers(const c10::IValue& value) {
  std::vector<std::int64_t> all;
  for_each_tensor(value, [&](const at::Tensor& tensor) { all.push_back(number(tensor)); });
  return all;
}

std::vector<std::int64_t> TensorTable::made(const c10::IValue& value) {
  std::vector<std::int64_t> all;
  for_each_tensor(value, [&](const at::Tensor& tensor) { all.push_back(made(tensor)); });
  return all;
}

}  // namespace strata::libtorch
