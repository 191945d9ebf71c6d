#include "write/onnx/value_bytes.h"

#include "base/half.h"

namespace strata::onnx {

namespace {

template <class T>
bool append(std::string& bytes, T item) {
  bytes.append(reinterpret_cast<const char*>(&item), sizeof item);
  return true;
}

bool append_real(std::string& bytes, double number, DType type) {
  switch (type) {
    case DType::F32:
      return append(bytes, static_cast<float>(number));
    case DType::F64:
      return append(bytes, number);
    case DType::F16:
      return append(bytes, half_bits(static_cast<float>(number)));
    case DType::BF16:
      return append(bytes, bfloat_bits(static_cast<float>(number)));
    default:
      return false;
  }
}

bool append_whole(std::string& bytes, std::int64_t number, DType type) {
  switch (type) {
    case DType::I64:
    case DType::U64:
      return append(bytes, number);
    case DType::I32:
    case DType::U32:
      return append(bytes, static_cast<std::int32_t>(number));
    case DType::I16:
    case DType::U16:
      return append(bytes, static_cast<std::int16_t>(number));
    case DType::I8:
    case DType::U8:
      return append(bytes, static_cast<std::int8_t>(number));
    case DType::Bool:
      return append(bytes, static_cast<std::int8_t>(number != 0));
    default:
      return false;
  }
}

}  // namespace

std::optional<std::string> value_bytes(const Value& value, DType type) {
  std::string bytes;
  for (const Scalar& item : value.items) {
    bool fits = false;
    if (is_float(type)) {
      const std::optional<double> number = item.number();
      fits = number && append_real(bytes, *number, type);
    } else {
      const std::optional<std::int64_t> number = item.whole().number();
      fits = number && append_whole(bytes, *number, type);
    }
    if (!fits) return std::nullopt;
  }
  return bytes;
}

}  // namespace strata::onnx
