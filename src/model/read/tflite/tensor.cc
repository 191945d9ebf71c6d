#include "read/tflite/tensor.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "read/tflite/schema_table.h"

namespace strata::tflite {

namespace {

// In the order of TFLite's numbers. A RESOURCE is a handle of four bytes.
constexpr DType kTypes[] = {
    DType::F32,  DType::F16, DType::I32,       DType::U8,       DType::I64,    DType::String,
    DType::Bool, DType::I16, DType::C64,       DType::I8,       DType::F64,    DType::C128,
    DType::U64,  DType::I32, DType::Undefined, DType::U32,      DType::U16,    DType::I4,
    DType::BF16, DType::I2,  DType::U4,        DType::F8E4M3FN, DType::F8E5M2,
};
static_assert(std::size(kTypes) == kTensorTypes.size());

std::string name_of(const Table& tensor) { return in_quotes(tensor.text(slot::kTensorName)); }

std::vector<std::int32_t> sizes_of(Loading& loading, const Table& tensor) {
  std::vector<std::int32_t> sizes = integers_of(loading, tensor, slot::kTensorShape);
  for (const std::int32_t size : sizes)
    if (size < 0)
      throw Broken{
          fmt::format("it is damaged: tensor {} has the negative size {}", name_of(tensor), size)};
  return sizes;
}

std::span<const std::int64_t> kept_sizes(Loading& loading, const Table& tensor) {
  const auto sizes = sizes_of(loading, tensor);
  const auto kept = loading.model.keep_span<std::int64_t>(sizes.size());
  std::copy(sizes.begin(), sizes.end(), kept.begin());
  return kept;
}

// Bytes of a buffer that follow the tables, as in files of more than 2 GB: they are counted from
// the start of the file.
std::string_view bytes_behind(const Wire& wire, std::uint64_t offset, std::uint64_t size,
                              const Table& tensor) {
  const std::string_view bytes = wire.bytes();
  if (offset > bytes.size() || size > bytes.size() - offset)
    throw Broken{fmt::format(
        "it is damaged, or not downloaded to the end: the elements of tensor {} lie outside of it",
        name_of(tensor))};
  return bytes.substr(offset, size);
}

std::string_view elements_of_buffer(Loading& loading, const Table& tensor) {
  const auto number = tensor.number<std::uint32_t>(slot::kTensorBuffer, 0);
  if (number == 0 && loading.buffers.count == 0) return {};
  if (number >= loading.buffers.count)
    throw Broken{fmt::format("it is damaged: tensor {} is in buffer {} of {}", name_of(tensor),
                             number, loading.buffers.count)};
  const Table buffer = loading.wire.table_at(loading.buffers, number);
  const auto offset = buffer.number<std::uint64_t>(slot::kBufferOffset, 0);
  // 0 and 1 say that there is no such place.
  if (offset > 1)
    return bytes_behind(loading.wire, offset, buffer.number<std::uint64_t>(slot::kBufferSize, 0),
                        tensor);
  const List list = buffer.list(slot::kBufferData, 1);
  return loading.wire.bytes().substr(list.at, list.count);
}

// A tensor whose elements are in another file.
bool is_external(const Table& tensor) {
  return tensor.number<std::uint32_t>(slot::kTensorExternalBuffer, 0) != 0;
}

void count_sparse(Loading& loading, const Table& tensor, TensorData& data) {
  const Table sparsity = tensor.table(slot::kTensorSparsity);
  if (!sparsity.exists()) return;
  const int width = bits(data.dtype);
  data.store = TensorData::Store::Sparse;
  data.nonzeros = width == 0 ? 0 : static_cast<std::int64_t>(data.bytes.size() * 8) / width;
  Counts& counts = loading.counts;
  ++counts.sparse;
  counts.sparse_elements += data.elements().number().value_or(0);
  counts.sparse_stored += data.nonzeros;
  counts.sparse_bytes += static_cast<std::int64_t>(data.bytes.size());
}

void check_bytes(const TensorData& data, const Table& tensor) {
  const Expr needed = bytes(data.elements(), data.dtype);
  const auto number = needed.number();
  if (bits(data.dtype) == 0) return;
  if (!number || static_cast<std::uint64_t>(*number) > data.bytes.size())
    throw Broken{fmt::format("it is damaged: tensor {} has {} bytes where its shape needs {}",
                             name_of(tensor), data.bytes.size(), needed.text())};
}

}  // namespace

DType dtype_of(const Table& tensor) {
  const auto number = tensor.number<std::int8_t>(slot::kTensorType, 0);
  return number < 0 || static_cast<std::size_t>(number) >= std::size(kTypes) ? DType::Undefined
                                                                             : kTypes[number];
}

std::vector<std::int32_t> integers_of(Loading& loading, const Table& table, std::uint16_t slot) {
  const List list = table.list(slot, sizeof(std::int32_t));
  loading.count_list_items(list.count);
  std::vector<std::int32_t> numbers(list.count);
  for (std::uint32_t i = 0; i < list.count; ++i)
    numbers[i] = loading.wire.item<std::int32_t>(list, i);
  return numbers;
}

TypeInfo type_of_tensor(Loading& loading, const Table& tensor, bool is_input) {
  TypeInfo type;
  type.dtype = dtype_of(tensor);
  type.ranked = true;
  const auto sizes = sizes_of(loading, tensor);
  const auto open = integers_of(loading, tensor, slot::kTensorShapeSignature);
  // A signature of another rank says nothing.
  const bool has_signature = open.size() == sizes.size();
  const bool any_open =
      has_signature && std::any_of(open.begin(), open.end(), [](auto size) { return size < 0; });
  loading.has_open_sizes = loading.has_open_sizes || any_open;
  if (any_open && !is_input) return TypeInfo::unranked(type.dtype);
  constexpr std::string_view kImage[] = {"batch", "height", "width"};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!has_signature || open[i] >= 0)
      type.dims.push_back(sizes[i]);
    else if (i == 0 || (sizes.size() == 4 && i < 3))
      type.dims.push_back(Expr::symbol(std::string(kImage[i])));
    else
      type.dims.push_back(Expr::symbol(fmt::format("size_{}", i)));
  }
  return type;
}

const TensorData* data_of_tensor(Loading& loading, const Table& tensor) {
  TensorData data;
  data.dtype = dtype_of(tensor);
  data.name = tensor.text(slot::kTensorName);
  if (is_external(tensor)) {
    data.dims = kept_sizes(loading, tensor);
    data.store = TensorData::Store::Absent;
    ++loading.counts.outside;
    return &loading.model.stored.emplace_back(data);
  }
  data.bytes = elements_of_buffer(loading, tensor);
  if (data.bytes.empty()) return nullptr;
  data.dims = kept_sizes(loading, tensor);
  data.store = TensorData::Store::Raw;
  const auto number = tensor.number<std::uint32_t>(slot::kTensorBuffer, 0);
  if (loading.by_buffer.empty()) loading.by_buffer.resize(loading.buffers.count);
  const TensorData*& same = loading.by_buffer[number];
  if (same != nullptr && same->dtype == data.dtype &&
      std::equal(same->dims.begin(), same->dims.end(), data.dims.begin(), data.dims.end()))
    return same;
  count_sparse(loading, tensor, data);
  if (data.store == TensorData::Store::Raw) check_bytes(data, tensor);
  if (const auto needed = bytes(data.elements(), data.dtype).number();
      data.store == TensorData::Store::Raw && needed && bits(data.dtype) != 0)
    data.bytes = data.bytes.substr(0, static_cast<std::size_t>(*needed));
  // Biases are the only 64-bit integers with scales: those of layers with 16-bit activations.
  if (data.dtype == DType::I64 && tensor.table(slot::kTensorQuantization)
                                          .list(slot::kQuantizationParametersScale, sizeof(float))
                                          .count > 0)
    data.learned = Learned::Yes;
  // Texts are in a layout of TFLite's own.
  if (data.dtype == DType::String) data.store = TensorData::Store::Absent, data.bytes = {};
  return same = &loading.model.stored.emplace_back(data);
}

const TensorData* state_of_tensor(Loading& loading, const Table& tensor) {
  TensorData data;
  data.name = tensor.text(slot::kTensorName);
  data.dtype = dtype_of(tensor);
  data.dims = kept_sizes(loading, tensor);
  data.learned = Learned::No;
  return &loading.model.stored.emplace_back(data);
}

const TensorData* empty_tensor(Loading& loading, const Table& tensor) {
  TensorData data;
  data.name = tensor.text(slot::kTensorName);
  data.dtype = dtype_of(tensor);
  data.dims = kept_sizes(loading, tensor);
  data.store = TensorData::Store::Raw;
  return &loading.model.stored.emplace_back(data);
}

void count_quantization(Loading& loading, const Table& tensor) {
  const Table quantization = tensor.table(slot::kTensorQuantization);
  if (!quantization.exists()) return;
  // Numbers in the union of details: 1 is a custom one, 2 scales by block.
  constexpr std::uint8_t kByBlock = 2;
  if (quantization.number<std::uint8_t>(slot::kQuantizationParametersDetailsType, 0) == kByBlock) {
    ++loading.counts.per_block;
    return;
  }
  const List scales = quantization.list(slot::kQuantizationParametersScale, sizeof(float));
  if (scales.count == 0) return;  // it states a range alone
  if (scales.count == 1) {
    ++loading.counts.per_tensor;
    return;
  }
  const auto axis =
      quantization.number<std::int32_t>(slot::kQuantizationParametersQuantizedDimension, 0);
  const auto sizes = sizes_of(loading, tensor);
  if (axis < 0 || static_cast<std::size_t>(axis) >= sizes.size() ||
      static_cast<std::uint32_t>(sizes[static_cast<std::size_t>(axis)]) != scales.count)
    throw Broken{fmt::format("it is damaged: tensor {} has {} scales, which do not fit its axis {}",
                             name_of(tensor), scales.count, axis)};
  ++loading.counts.per_channel;
}

}  // namespace strata::tflite
