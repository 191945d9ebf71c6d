#include "torch_api.h"

#include <fmt/format.h>

#include <time.h>

#include "failure.h"

namespace strata::libtorch {

namespace {

struct ElementType {
  at::ScalarType type;
  std::int32_t onnx;  // 0: ONNX has none
  const char* name;
};

constexpr ElementType kTypes[] = {
    {at::kFloat, 1, "float32"},
    {at::kByte, 2, "uint8"},
    {at::kChar, 3, "int8"},
    {at::kShort, 5, "int16"},
    {at::kInt, 6, "int32"},
    {at::kLong, 7, "int64"},
    {at::kBool, 9, "bool"},
    {at::kHalf, 10, "float16"},
    {at::kDouble, 11, "float64"},
    {at::kComplexFloat, 14, "complex64"},
    {at::kComplexDouble, 15, "complex128"},
    {at::kBFloat16, 16, "bfloat16"},
    {at::kQUInt8, 2, "quint8"},
    {at::kQInt8, 3, "qint8"},
    {at::kQInt32, 6, "qint32"},
};

}  // namespace

std::int64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::int32_t dtype_number(at::ScalarType type) {
  for (const ElementType& known : kTypes)
    if (known.type == type) return known.onnx;
  return 0;
}

at::ScalarType scalar_type(std::int32_t dtype, const std::string& input) {
  for (const ElementType& known : kTypes)
    if (known.onnx == dtype) return known.type;
  throw Failure{STRATA_WRONG_INPUT,
                fmt::format("input \"{}\" has elements of type {}, which PyTorch does not have",
                            input, dtype)};
}

const char* dtype_name(at::ScalarType type) {
  for (const ElementType& known : kTypes)
    if (known.type == type) return known.name;
  return at::toString(type);
}

}  // namespace strata::libtorch
