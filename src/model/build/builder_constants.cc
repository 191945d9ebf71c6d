// The tensors that a builder stores: weights, and constants, each once.
#include <fmt/format.h>

#include "base/half.h"
#include "build/builder_impl.h"

namespace strata::build {

namespace {

// The numbers encoded in a type: f16, bf16, otherwise f32.
std::string in_type(std::span<const float> items, DType type) {
  if (type != DType::F16 && type != DType::BF16)
    return {reinterpret_cast<const char*>(items.data()), items.size_bytes()};
  std::string bytes;
  for (float item : items) {
    const std::uint16_t half = type == DType::F16 ? half_bits(item) : bfloat_bits(item);
    bytes.append(reinterpret_cast<const char*>(&half), sizeof half);
  }
  return bytes;
}

}  // namespace

Var Builder::weight(std::string_view name, std::span<const std::int64_t> dims) {
  if (failed()) return {};
  for (std::int64_t size : dims)
    if (size < 1) {
      fail(fmt::format("{}.{} would have the size {}",
                       impl_->model.scopes[impl_->frames.back().scope].path, name, size));
      return {};
    }
  const Frame& frame = impl_->frames.back();
  const std::string_view path = impl_->model.scopes[frame.scope].path;
  const std::string_view full = path.empty() ? impl_->text(name) : impl_->join({path, ".", name});
  if (frame.again) {
    const auto& tensors = impl_->graph().tensors;
    for (std::size_t& i = impl_->weights_seen; i < tensors.size(); ++i)
      if (tensors[i].role == Role::Initializer)
        impl_->weights.insert(tensors[i].name, static_cast<TensorId>(i));
    if (const TensorId* known = impl_->weights.find(full)) return {*known};
  }
  return impl_->add_stored(full, impl_->dtype, dims);
}

const TensorId* Builder::Impl::find_constant(DType type, std::span<const std::int64_t> dims,
                                             std::string_view bytes, bool as_node) {
  key.assign({static_cast<char>(type), static_cast<char>(dims.size()), as_node ? '1' : '0'});
  key.append(reinterpret_cast<const char*>(dims.data()), dims.size_bytes());
  key.append(bytes);
  return constants.find(key);
}

Var Builder::Impl::constant(DType type, std::span<const std::int64_t> dims,
                            std::string_view bytes) {
  if (const TensorId* known = find_constant(type, dims, bytes, false)) return {*known};
  const Var x = add_stored(join({"constant_", Digits(constants.size())}), type, dims);
  TensorData& data = model.stored.back();
  data.store = TensorData::Store::Raw;
  data.bytes = model.keep(bytes);
  constants.insert(model.keep(key), x.id);
  return x;
}

Var Builder::integers(std::span<const std::int64_t> items) {
  const auto count = static_cast<std::int64_t>(items.size());
  return impl_->constant(
      DType::I64, std::span(&count, 1),
      {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(std::int64_t)});
}

Var Builder::integer(std::int64_t item) {
  return impl_->constant(DType::I64, {}, {reinterpret_cast<const char*>(&item), sizeof item});
}

Var Builder::floats(std::span<const float> items) {
  const auto count = static_cast<std::int64_t>(items.size());
  return impl_->constant(
      DType::F32, std::span(&count, 1),
      {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(float)});
}

Var Builder::bound(float item) {
  const auto bytes = in_type(std::span(&item, 1), impl_->dtype);
  return impl_->constant(impl_->dtype, {}, bytes);
}

Var Builder::number(float item) { return table(std::span(&item, 1), {}); }

// This is a node instead of an initializer, because a stored float would be a parameter.
Var Builder::table(std::span<const float> items, std::initializer_list<std::int64_t> sizes) {
  if (failed()) return {};
  const std::span dims(sizes.begin(), sizes.size());
  const std::string bytes = in_type(items, impl_->dtype);
  if (const TensorId* known = impl_->find_constant(impl_->dtype, dims, bytes, true))
    return {*known};
  Model& model = impl_->model;
  const std::string_view key = model.keep(impl_->key);
  TensorData& data = model.stored.emplace_back();
  data.dtype = impl_->dtype;
  data.store = TensorData::Store::Raw;
  data.dims = model.keep(dims);
  data.bytes = model.keep(bytes);
  const Setting settings[] = {{"value", &data}};
  const Var x = op("Constant", std::span<const Var>(), settings);
  impl_->constants.insert(key, x.id);
  return x;
}

}  // namespace strata::build
