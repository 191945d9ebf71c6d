#include "strata/graph/dtype.h"

#include <cstddef>
#include <iterator>

namespace strata {
namespace {

enum class Kind : std::uint8_t { Other, Float, Integer };

struct Row {
  std::string_view name;
  Kind kind;
};

// In the order of the enum.
constexpr Row kRows[] = {
    {"?", Kind::Other},          {"f32", Kind::Float},    {"u8", Kind::Integer},
    {"i8", Kind::Integer},       {"u16", Kind::Integer},  {"i16", Kind::Integer},
    {"i32", Kind::Integer},      {"i64", Kind::Integer},  {"string", Kind::Other},
    {"bool", Kind::Other},       {"f16", Kind::Float},    {"f64", Kind::Float},
    {"u32", Kind::Integer},      {"u64", Kind::Integer},  {"c64", Kind::Other},
    {"c128", Kind::Other},       {"bf16", Kind::Float},   {"f8e4m3fn", Kind::Float},
    {"f8e4m3fnuz", Kind::Float}, {"f8e5m2", Kind::Float}, {"f8e5m2fnuz", Kind::Float},
    {"u4", Kind::Integer},       {"i4", Kind::Integer},   {"f4e2m1", Kind::Float},
    {"f8e8m0", Kind::Float},     {"u2", Kind::Integer},   {"i2", Kind::Integer},
};
static_assert(std::size(kRows) == kDTypeCount);

const Row& row(DType type) {
  const auto i = static_cast<std::size_t>(type);
  return kRows[i < kDTypeCount ? i : 0];
}

}  // namespace

std::string_view name_of(DType type) { return row(type).name; }
bool is_float(DType type) { return row(type).kind == Kind::Float; }
bool is_integer(DType type) { return row(type).kind == Kind::Integer; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (std::size_t i = 1; i < kDTypeCount; ++i) {
    if (kRows[i].name == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

std::optional<DType> dtype_from_onnx(std::int64_t number) {
  if (number < 0 || number >= kDTypeCount) return std::nullopt;
  return static_cast<DType>(number);
}

}  // namespace strata
