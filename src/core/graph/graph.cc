#include "strata/graph/graph.h"

#include <cstring>

namespace strata {

Model::Model() {
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

const Value* Model::keep(Value&& value) { return &values_.emplace_back(std::move(value)); }

const TypeInfo* Model::keep(TypeInfo&& type) { return &types_.emplace_back(std::move(type)); }

}  // namespace strata
