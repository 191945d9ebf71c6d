#include "read/recording/tables.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/in_quotes.h"

namespace strata::recording {

namespace {

using torch::Broken;

constexpr std::pair<std::string_view, DType> kTypes[] = {
    {"float32", DType::F32},
    {"int64", DType::I64},
    {"bool", DType::Bool},
    {"float16", DType::F16},
    {"bfloat16", DType::BF16},
    {"float64", DType::F64},
    {"int32", DType::I32},
    {"int16", DType::I16},
    {"int8", DType::I8},
    {"uint8", DType::U8},
    {"uint16", DType::U16},
    {"uint32", DType::U32},
    {"uint64", DType::U64},
    {"complex64", DType::C64},
    {"complex128", DType::C128},
    {"float8_e4m3fn", DType::F8E4M3FN},
    {"float8_e5m2", DType::F8E5M2},
    {"float8_e4m3fnuz", DType::F8E4M3FNUZ},
    {"quint8", DType::U8},
    {"float8_e5m2fnuz", DType::F8E5M2FNUZ},
    {"qint8", DType::I8},
    {"float8_e8m0fnu", DType::F8E8M0},
    {"qint32", DType::I32},
};

// Undefined for those that strata has no element type for, such as complex halves.
DType type_of(std::string_view name) {
  for (const auto& [known, type] : kTypes)
    if (name == known) return type;
  return DType::Undefined;
}

// A dtype, sizes and strides; strides change no count.
TypeInfo take_type(JsonText& json, Row& row) {
  TypeInfo type;
  if (row.has_next()) type.dtype = type_of(json.string());
  if (row.has_next()) {
    type.ranked = true;
    for (JsonArray size(json); size.next();) {
      const std::int64_t number = json.integer();
      if (number < 0) json.wrong("a size is negative");
      type.dims.push_back(number);
    }
  }
  if (row.has_next()) json.skip();
  return type;
}

void give(Loading& loading, TensorId id, std::string_view name, Role role) {
  Tensor& tensor = loading.graph().tensors[id];
  tensor.role = role;
  tensor.name = name;
}

}  // namespace

ScopeId Loading::scope(std::int64_t call) const {
  if (call == -1) return 0;
  if (call < 0 || static_cast<std::uint64_t>(call) >= scopes.size())
    throw Broken{fmt::format("there is no module call {}; it has {}", call, scopes.size())};
  return scopes[static_cast<std::size_t>(call)];
}

const Shared<TypeInfo>& Loading::kind(std::int64_t number) const {
  if (number < 0 || static_cast<std::uint64_t>(number) >= kinds.size())
    throw Broken{fmt::format("there is no kind {}; it has {}", number, kinds.size())};
  return kinds[static_cast<std::size_t>(number)];
}

TensorId Loading::tensor(std::int64_t number) const {
  if (number < 0 || static_cast<std::uint64_t>(number) >= places.size())
    throw Broken{fmt::format("there is no tensor {}; it has {}", number, places.size())};
  return static_cast<TensorId>(number);
}

TensorId take_tensor(const Loading& loading, JsonText& json) {
  return json.take_null() ? kNone : loading.tensor(json.integer());
}

void read_modules(Loading& loading, JsonText& json) {
  for (JsonArray item(json); item.next();) {
    Row row(json);
    std::string_view path, cls;
    std::int64_t parent = -1;
    if (row.has_next()) path = json.string();
    if (row.has_next()) cls = json.string();
    if (row.has_next()) parent = json.integer();
    row.skip_rest();
    loading.count_tensor();
    if (path.empty()) {  // the network itself, or what wraps it
      Scope& network = loading.model.scopes[0];
      if (network.cls.empty()) network.cls = cls.substr(cls.rfind('.') + 1);
      loading.scopes.push_back(0);
    } else {
      loading.scopes.push_back(loading.modules.add(loading.scope(parent), path, cls));
    }
  }
}

void read_kinds(Loading& loading, JsonText& json) {
  for (JsonArray item(json); item.next();) {
    loading.count_tensor();
    Row row(json);
    loading.kinds.push_back(take_type(json, row));
    row.skip_rest();
  }
}

void read_tensors(Loading& loading, JsonText& json) {
  std::vector<Tensor>& tensors = loading.graph().tensors;
  for (JsonArray item(json); item.next();) {
    loading.count_tensor();
    Tensor& tensor = tensors.emplace_back();
    Loading::Place& place = loading.places.emplace_back();
    Row row(json);
    if (json.peek() == '"') {
      tensor.type = take_type(json, row);
    } else if (row.has_next()) {
      tensor.type = loading.kind(json.integer());
    }
    if (row.has_next()) place.storage = json.integer();
    if (row.has_next()) place.offset = json.integer();
    row.skip_rest();
  }
}

void read_stored(Loading& loading, JsonText& json, std::vector<TensorId>& stored) {
  for (JsonArray item(json); item.next();) {
    Row row(json);
    if (!row.next()) json.wrong("a stored tensor has no number");
    const TensorId id = loading.tensor(json.integer());
    const std::string_view name = row.has_next() ? json.string() : std::string_view();
    row.skip_rest();
    // A weight that has two names keeps the first.
    if (loading.graph().tensors[id].role == Role::Initializer) continue;
    give(loading, id, name, Role::Initializer);
    stored.push_back(id);
  }
}

void read_given(Loading& loading, JsonText& json, std::vector<TensorId>& given) {
  for (JsonArray item(json); item.next();) {
    Row row(json);
    const TensorId id = row.next() ? take_tensor(loading, json) : kNone;
    const std::string_view name = row.has_next() ? json.string() : std::string_view();
    row.skip_rest();
    given.push_back(id);
    if (id == kNone) continue;
    Tensor& tensor = loading.graph().tensors[id];
    if (tensor.name.empty()) tensor.name = name;
  }
}

void store(Loading& loading, std::vector<TensorId>& parameters, std::vector<TensorId>& others) {
  std::map<std::tuple<std::int64_t, std::int64_t, DType, std::vector<std::int64_t>>,
           const TensorData*>
      by_place;
  const auto keep = [&](TensorId id, Learned learned) {
    Tensor& tensor = loading.graph().tensors[id];
    const Loading::Place& place = loading.places[id];
    std::vector<std::int64_t> dims;
    for (const Expr& size : tensor.type->dims) dims.push_back(size.value());
    const TensorData** shared =
        place.storage < 0 ? nullptr
                          : &by_place[{place.storage, place.offset, tensor.type->dtype, dims}];
    if (shared != nullptr && *shared != nullptr) {
      tensor.data = *shared;
      return;
    }
    TensorData& data = loading.model.stored.emplace_back();
    data.name = tensor.name;
    data.dtype = tensor.type->dtype;
    data.learned = learned;
    data.dims = loading.model.keep(std::span<const std::int64_t>(dims));
    tensor.data = &data;
    if (shared != nullptr) *shared = &data;
  };
  for (const TensorId id : parameters) keep(id, Learned::Yes);
  for (const TensorId id : others) keep(id, Learned::No);
}

}  // namespace strata::recording
