#include "ops/aten_schema.h"

#include <algorithm>

#include "ops/aten_schema_table.h"

namespace strata {

namespace {

std::string_view text_at(std::size_t at, std::size_t size) { return {kAtenTexts + at, size}; }

}  // namespace

std::string_view AtenArgument::name() const { return text_at(name_at, name_size); }

Attribute AtenArgument::default_attribute() const {
  Attribute attribute{.name = name(), .value = {}};
  switch (otherwise) {
    case Default::Required:
    case Default::Nothing:
      break;
    case Default::Int:
      attribute.value = kAtenInts[at];
      break;
    case Default::Float:
      attribute.value = kAtenFloats[at];
      break;
    case Default::Text:
      attribute.value = text_at(at, size);
      break;
    case Default::Ints:
      attribute.value = std::span<const std::int64_t>(kAtenInts + at, size);
      break;
    case Default::Floats:
      attribute.value = std::span<const float>(kAtenFloats + at, size);
      break;
  }
  return attribute;
}

std::string_view AtenSchema::name() const { return text_at(name_at, name_size); }

std::span<const AtenArgument> AtenSchema::arguments() const {
  return {kAtenArguments + first, argument_count};
}

std::span<const AtenArgument> AtenSchema::results() const {
  return {kAtenArguments + first + argument_count, result_count};
}

std::span<const AtenSchema> aten_schemas() { return kAtenSchemas; }

const AtenSchema* find_aten_schema(std::string_view op) {
  const auto* found = std::lower_bound(
      std::begin(kAtenSchemas), std::end(kAtenSchemas), op,
      [](const AtenSchema& schema, std::string_view other) { return schema.name() < other; });
  return found != std::end(kAtenSchemas) && found->name() == op ? found : nullptr;
}

}  // namespace strata
