#include "strata/graph/graph.h"

#include <cstring>

namespace strata {

namespace {

constexpr std::size_t kFirstArenaBytes = std::size_t{32} << 10;

}  // namespace

Model::Model() : arena_(std::make_unique<std::pmr::monotonic_buffer_resource>(kFirstArenaBytes)) {
  graphs.emplace_back();
  scopes.emplace_back();
}

Model::~Model() = default;

std::string_view Model::keep(std::string_view text) {
  if (text.empty()) return {};
  char* copy = keep_span<char>(text.size()).data();
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

const Value* Model::keep(Value value) { return &values_.emplace_back(std::move(value)); }

const TypeInfo* Model::keep(TypeInfo type) { return &types_.emplace_back(std::move(type)); }

Expr TensorData::elements() const {
  std::int64_t count = 1;
  for (const std::int64_t size : dims)
    if (__builtin_mul_overflow(count, size, &count)) {
      Expr product = 1;  // which knows what overflows, and that nothing times that is 0
      for (const std::int64_t factor : dims) product *= factor;
      return product;
    }
  return count;
}

}  // namespace strata
