#include "read/onnx/typed_data.h"

#include <algorithm>

#include <fmt/format.h>

#include "read/onnx/loading.h"
#include "read/onnx/proto.h"

namespace strata::onnx {

namespace {

// The field that a type's elements belong in, and how many bytes of elements one number there
// holds. For packed types (4 bits), a number holds one byte.
struct Home {
  unsigned field = 0;
  unsigned width = 0;
};

Home home_of(DType dtype) {
  switch (dtype) {
    case DType::F32:
    case DType::C64:
      return {proto::tensor::kFloatData, 4};
    case DType::F64:
    case DType::C128:
      return {proto::tensor::kDoubleData, 8};
    case DType::I64:
      return {proto::tensor::kInt64Data, 8};
    case DType::U64:
      return {proto::tensor::kUint64Data, 8};
    case DType::U32:
      return {proto::tensor::kUint64Data, 4};
    case DType::I32:
      return {proto::tensor::kInt32Data, 4};
    case DType::I16:
    case DType::U16:
    case DType::F16:
    case DType::BF16:
      return {proto::tensor::kInt32Data, 2};
    case DType::String:
      return {proto::tensor::kStringData, 0};
    case DType::Undefined:
      return {};
    default:
      return {proto::tensor::kInt32Data, 1};
  }
}

std::string_view field_name(unsigned field) {
  switch (field) {
    case proto::tensor::kFloatData:
      return "float_data";
    case proto::tensor::kInt32Data:
      return "int32_data";
    case proto::tensor::kStringData:
      return "string_data";
    case proto::tensor::kInt64Data:
      return "int64_data";
    case proto::tensor::kDoubleData:
      return "double_data";
    case proto::tensor::kUint64Data:
      return "uint64_data";
    default:
      return "?";
  }
}

bool is_fixed(unsigned field) {
  return field == proto::tensor::kFloatData || field == proto::tensor::kDoubleData;
}

std::string wrong_count(std::uint64_t needed, unsigned field, std::string_view found) {
  return fmt::format("needs {} number{} in {}, but has {}", needed, needed == 1 ? "" : "s",
                     field_name(field), found);
}

std::span<const std::string_view> keep_texts(Loading& loading, std::string_view message,
                                             std::uint64_t count) {
  const auto texts = loading.model.keep_span<std::string_view>(static_cast<std::size_t>(count));
  std::size_t found = 0;
  for (Fields f(loading.source, message); f.next();) {
    if (f.number() == proto::tensor::kStringData && found < count)
      texts[found++] = f.bytes();
    else
      f.skip();
  }
  return texts;
}

}  // namespace

void TypedData::add(Fields& field) {
  const unsigned number = field.number();
  const bool is_text = number == proto::tensor::kStringData;
  if (field.wire() == Fields::Wire::Bytes && !is_text) {
    const std::string_view piece = field.bytes();
    if (piece.empty()) return;
    ++pieces_;
    packed_bytes_ += piece.size();
    piece_ = piece;
  } else {
    if (is_text)
      field.bytes();
    else if (number == proto::tensor::kFloatData)
      field.each_fixed<float>([](float) {});
    else if (number == proto::tensor::kDoubleData)
      field.each_fixed<double>([](double) {});
    else
      field.integer();
    ++singles_;
  }
  if (first_ == 0) first_ = number;
  if (number != first_) second_ = number;
}

std::string TypedData::place(Loading& loading, std::string_view message, std::int64_t elements,
                             TensorData& data) const {
  const Home home = home_of(data.dtype);
  for (const unsigned used : {first_, second_})
    if (used != 0 && used != home.field)
      return fmt::format("of {} keeps elements in {}; they belong into {}", name_of(data.dtype),
                         field_name(used), field_name(home.field));
  if (data.dtype == DType::String) {
    if (singles_ != static_cast<std::uint64_t>(elements))
      return fmt::format("needs {} texts, but has {}", elements, singles_);
    if (elements <= kMaxValueElements) data.texts = keep_texts(loading, message, singles_);
    return {};
  }
  // Compute whole bytes first, so that packed types round up; the caller has checked that this does
  // not overflow.
  const std::uint64_t total =
      (static_cast<std::uint64_t>(elements) * static_cast<std::uint64_t>(bits(data.dtype)) + 7) / 8;
  const std::uint64_t items = total / home.width;
  if (is_fixed(home.field)) {
    if (packed_bytes_ % home.width != 0)
      return fmt::format("has {} bytes in {}, which is not a whole number of elements",
                         packed_bytes_, field_name(home.field));
    const std::uint64_t found = packed_bytes_ / home.width + singles_;
    if (found != items) return wrong_count(items, home.field, fmt::format("{}", found));
    if (pieces_ == 1 && singles_ == 0) {
      data.store = TensorData::Store::Raw;
      data.bytes = piece_;
      data.encoded = {};
      return {};
    }
  } else if (packed_bytes_ + singles_ < items || packed_bytes_ / 10 + singles_ > items) {
    // A packed number takes one to ten bytes.
    return wrong_count(items, home.field,
                       pieces_ == 0 ? fmt::format("{}", singles_)
                                    : fmt::format("{} bytes of them", packed_bytes_));
  }
  if (elements > kMaxValueElements) return {};
  const auto unpacked = loading.model.keep_span<char>(static_cast<std::size_t>(total));
  if (std::string problem = unpack_numbers(loading.source, message, data.dtype, unpacked);
      !problem.empty())
    return problem;
  data.store = TensorData::Store::Raw;
  data.bytes = {unpacked.data(), unpacked.size()};
  data.encoded = {};
  return {};
}

std::string unpack_numbers(Source& source, std::string_view message, DType dtype,
                           std::span<char> to) {
  const Home home = home_of(dtype);
  if (home.width == 0) return "has elements that are not numbers";
  const std::uint64_t items = to.size() / home.width;
  std::uint64_t found = 0;
  const auto take = [&](auto number) {  // little endian: the low bytes come first
    if (found < items)
      std::memcpy(to.data() + found * home.width, &number,
                  std::min<std::size_t>(home.width, sizeof number));
    ++found;
  };
  for (Fields f(source, message); f.next();) {
    if (f.number() != home.field)
      f.skip();
    else if (home.field == proto::tensor::kFloatData)
      f.each_fixed<float>(take);
    else if (home.field == proto::tensor::kDoubleData)
      f.each_fixed<double>(take);
    else
      f.each_integer(take);
  }
  source.steps += items;
  if (found != items) return wrong_count(items, home.field, fmt::format("{}", found));
  return {};
}

}  // namespace strata::onnx
