#include "read/executorch/values.h"

#include <algorithm>

#include <fmt/format.h>

namespace strata::executorch {

DType dtype_of(std::int8_t scalar_type) {
  struct Row {
    std::int8_t number;
    DType type;
  };
  constexpr Row kRows[] = {
      {0, DType::U8},          {1, DType::I8},      {2, DType::I16},       {3, DType::I32},
      {4, DType::I64},         {5, DType::F16},     {6, DType::F32},       {7, DType::F64},
      {11, DType::Bool},       {12, DType::I8},     {13, DType::U8},       {14, DType::I32},
      {15, DType::BF16},       {23, DType::F8E5M2}, {24, DType::F8E4M3FN}, {25, DType::F8E5M2FNUZ},
      {26, DType::F8E4M3FNUZ}, {27, DType::U16},    {28, DType::U32},      {29, DType::U64},
  };
  for (const Row& row : kRows)
    if (row.number == scalar_type) return row.type;
  return DType::Undefined;
}

Values::Values(Loading& loading, const Table& plan) : loading_(loading) {
  list_ = plan.list(slot::kExecutionPlanValues, sizeof(std::uint32_t));
  for (std::uint32_t i = 0; i < list_.count; ++i) loading.count_entry();
  is_computed_.assign(list_.count, false);
}

Table Values::table(std::int32_t number) const {
  if (number < 0 || static_cast<std::uint32_t>(number) >= list_.count)
    throw Broken{fmt::format("it is damaged: it refers to value {} of {}", number, list_.count)};
  return loading_.wire.table_at(list_, static_cast<std::uint32_t>(number)).table(slot::kEValueVal);
}

ValueType Values::type(std::int32_t number) const {
  if (number < 0) return ValueType::NONE;
  table(number);  // is checked
  const auto type = loading_.wire.table_at(list_, static_cast<std::uint32_t>(number))
                        .number<std::uint8_t>(slot::kEValueValType, 0);
  return type > static_cast<std::uint8_t>(ValueType::OptionalTensorList)
             ? ValueType::NONE
             : static_cast<ValueType>(type);
}

std::vector<std::int32_t> Values::items(std::int32_t number) const {
  const ValueType kind = type(number);
  if (kind == ValueType::Tensor) return {number};
  if (kind != ValueType::TensorList && kind != ValueType::OptionalTensorList) return {};
  return loading_.integers<std::int32_t>(loading_.wire, table(number), slot::kTensorListItems);
}

void Values::computes(std::int32_t number) {
  if (number >= 0 && static_cast<std::uint32_t>(number) < list_.count)
    is_computed_[static_cast<std::size_t>(number)] = true;
}

decltype(Attribute::value) Values::attribute(std::int32_t number) const {
  const ValueType kind = type(number);
  if (kind == ValueType::NONE || is_computed_[static_cast<std::size_t>(number)]) return {};
  const Table value = table(number);
  const auto is_open = [&](std::int64_t item) {
    return item < 0 || item >= std::int64_t{list_.count} ||
           type(static_cast<std::int32_t>(item)) != ValueType::Int ||
           is_computed_[static_cast<std::size_t>(item)];
  };
  switch (kind) {
    case ValueType::Int:
      return value.number<std::int64_t>(slot::kIntIntVal, 0);
    case ValueType::Bool:
      return std::int64_t{value.number<std::uint8_t>(slot::kBoolBoolVal, 0)};
    case ValueType::Double:
      return static_cast<float>(value.number<double>(slot::kDoubleDoubleVal, 0));
    case ValueType::String:
      return value.text(slot::kStringStringVal);
    case ValueType::IntList: {
      // The items are numbers of values.
      auto items = loading_.integers<std::int64_t>(loading_.wire, value, slot::kIntListItems);
      if (std::any_of(items.begin(), items.end(), is_open)) return {};
      for (std::int64_t& item : items)
        item = table(static_cast<std::int32_t>(item)).number<std::int64_t>(slot::kIntIntVal, 0);
      return loading_.model.keep(std::span<const std::int64_t>(items));
    }
    default:
      return {};
  }
}

namespace {

std::int8_t small(const Table& table, std::uint16_t field) {
  return table.number<std::int8_t>(field, 0);
}

}  // namespace

std::span<const std::int64_t> Values::sizes(std::int32_t number) const {
  const auto stated =
      loading_.integers<std::int32_t>(loading_.wire, table(number), slot::kTensorSizes);
  const auto kept = loading_.model.keep_span<std::int64_t>(stated.size());
  for (std::size_t i = 0; i < stated.size(); ++i) {
    if (stated[i] < 0)
      throw Broken{
          fmt::format("it is damaged: value {} has the negative size {}", number, stated[i])};
    kept[i] = stated[i];
  }
  return kept;
}

TypeInfo Values::tensor_type(std::int32_t number) const {
  const Table tensor = table(number);
  const DType dtype = dtype_of(small(tensor, slot::kTensorScalarType));
  constexpr std::int8_t kBounded = 1, kUnbounded = 2;
  const std::int8_t dynamism = small(tensor, slot::kTensorShapeDynamism);
  if (dynamism == kUnbounded) return TypeInfo::unranked(dtype);
  if (dynamism == kBounded) ++loading_.counts.bounded;
  Dims dims;
  for (const std::int64_t size : sizes(number)) dims.push_back(size);
  return TypeInfo::tensor(dtype, std::move(dims));
}

Allocation Values::allocation(std::int32_t number) const {
  const Table place = table(number).table(slot::kTensorAllocationInfo);
  if (!place.exists()) return {};
  constexpr int kHalf = 32;
  const auto low = place.number<std::uint32_t>(slot::kAllocationDetailsMemoryOffsetLow, 0);
  const auto high = place.number<std::uint32_t>(slot::kAllocationDetailsMemoryOffsetHigh, 0);
  return {true, place.number<std::uint32_t>(slot::kAllocationDetailsMemoryId, 0),
          std::uint64_t{high} << kHalf | low};
}

std::string_view Values::name(std::int32_t number) const {
  return table(number)
      .table(slot::kTensorExtraTensorInfo)
      .text(slot::kExtraTensorInfoFullyQualifiedName);
}

namespace {

bool is_in_another_file(const Table& tensor) {
  return small(tensor.table(slot::kTensorExtraTensorInfo), slot::kExtraTensorInfoLocation) != 0;
}

}  // namespace

bool Values::is_stored(std::int32_t number) const {
  return is_tensor(number) && (buffer(number) != 0 || is_in_another_file(table(number)));
}

std::uint32_t Values::buffer(std::int32_t number) const {
  return table(number).number<std::uint32_t>(slot::kTensorDataBufferIdx, 0);
}

bool Values::requires_grad(std::int32_t number) const {
  return table(number).number<std::uint8_t>(slot::kTensorRequiresGrad, 0) != 0;
}

bool Values::is_constant(std::int32_t number) const {
  return is_stored(number) && !allocation(number).is_planned;
}

TensorData Values::stored(std::int32_t number) const {
  const Table tensor = table(number);
  TensorData data;
  data.dtype = dtype_of(small(tensor, slot::kTensorScalarType));
  data.dims = sizes(number);
  if (is_in_another_file(tensor)) {
    ++loading_.counts.outside;
    return data;
  }
  const std::string_view bytes =
      is_constant(number)
          ? loading_.storage.constant(buffer(number))
          : loading_.storage.state(
                tensor.table(slot::kTensorExtraTensorInfo)
                    .number<std::uint64_t>(slot::kExtraTensorInfoMutableDataSegmentsIdx, 0),
                buffer(number));
  const auto needed = strata::bytes(data.elements(), data.dtype).number();
  if (bits(data.dtype) == 0) return data;
  if (!needed || static_cast<std::uint64_t>(*needed) > bytes.size())
    throw Broken{fmt::format(
        "it is damaged, or not downloaded to the end: value {} has {} bytes where its shape needs "
        "{}",
        number, bytes.size(), strata::bytes(data.elements(), data.dtype).text())};
  data.store = TensorData::Store::Raw;
  data.bytes = bytes.substr(0, static_cast<std::size_t>(*needed));
  return data;
}

}  // namespace strata::executorch
