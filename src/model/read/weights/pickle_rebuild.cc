#include "read/weights/pickle_rebuild.h"

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "read/weights/formats.h"
#include "read/weights/pickle_globals.h"

namespace strata::weights {

namespace {

const Global* global_of(const Pickle& pickle, ValueId id) {
  const PickledValue& value = pickle.at(id);
  return value.kind == ValueKind::Global ? &global_at(value.number) : nullptr;
}

bool read_sizes(const Pickle& pickle, ValueId id, std::vector<std::int64_t>& out) {
  const PickledValue& list = pickle.at(id);
  if (list.kind != ValueKind::List || list.items.size() > kMostAxes) return false;
  for (const ValueId item : list.items) {
    const PickledValue& size = pickle.at(item);
    if (size.kind != ValueKind::Number || size.number < 0) return false;
    out.push_back(size.number);
  }
  return true;
}

Result<PickledValue> tensor(Pickle& pickle, const std::vector<ValueId>& given, bool is_typed) {
  const auto broken = [] { return failure("its pickle describes a tensor in no known way"); };
  if (given.size() < (is_typed ? 7u : 4u)) return broken();
  const PickledValue& storage = pickle.at(given[0]);
  const PickledValue& offset = pickle.at(given[1]);
  if (storage.kind != ValueKind::Storage || offset.kind != ValueKind::Number || offset.number < 0)
    return broken();
  PickledTensor out{.storage = static_cast<std::uint32_t>(storage.number),
                    .dtype = pickle.storages[static_cast<std::size_t>(storage.number)].dtype,
                    .offset = static_cast<std::uint64_t>(offset.number)};
  if (!read_sizes(pickle, given[2], out.dims) || !read_sizes(pickle, given[3], out.strides) ||
      out.dims.size() != out.strides.size())
    return broken();
  if (is_typed) {
    const Global* dtype = global_of(pickle, given[6]);
    if (dtype == nullptr || dtype->kind != GlobalKind::DTypeName) return broken();
    out.dtype = dtype->dtype;
  }
  pickle.tensors.push_back(std::move(out));
  return PickledValue{.kind = ValueKind::Tensor,
                      .number = static_cast<std::int64_t>(pickle.tensors.size() - 1)};
}

// Python 2 wrote the pairs of an ordered dict as arguments.
Result<PickledValue> dict(const Pickle& pickle, const std::vector<ValueId>& given) {
  PickledValue out{.kind = ValueKind::Dict};
  if (given.empty()) return out;
  for (const ValueId id : pickle.at(given[0]).items) {
    const PickledValue& pair = pickle.at(id);
    if (pair.kind != ValueKind::List || pair.items.size() != 2)
      return failure("its pickle makes a dict of something else than pairs");
    out.items.insert(out.items.end(), pair.items.begin(), pair.items.end());
  }
  return out;
}

}  // namespace

Result<PickledValue> rebuilt(Pickle& pickle, ValueId function, ValueId arguments) {
  const Global* global = global_of(pickle, function);
  if (global == nullptr || pickle.at(arguments).kind != ValueKind::List)
    return failure("its pickle calls something that is not a function");
  const std::vector<ValueId> given = pickle.at(arguments).items;
  switch (global->kind) {
    case GlobalKind::OrderedDict:
      return dict(pickle, given);
    case GlobalKind::Size:
      if (!given.empty() && pickle.at(given[0]).kind == ValueKind::List) return pickle.at(given[0]);
      break;
    case GlobalKind::Device:
      return PickledValue{};
    case GlobalKind::RebuildTensor:
      return tensor(pickle, given, false);
    case GlobalKind::RebuildTypedTensor:
      return tensor(pickle, given, true);
    case GlobalKind::RebuildParameter:
      if (!given.empty() && pickle.at(given[0]).kind == ValueKind::Tensor)
        return pickle.at(given[0]);
      break;
    case GlobalKind::RebuildFromType: {
      if (given.size() < 3) break;
      const Global* inner = global_of(pickle, given[0]);
      // Any other function would call this one again, as deep as the pickle likes.
      if (inner != nullptr && inner->kind != GlobalKind::RebuildFromType)
        return rebuilt(pickle, given[0], given[2]);
      break;
    }
    default:
      break;
  }
  return failure(fmt::format("its pickle calls {}.{} in a way that no state dict does",
                             global->module, global->name));
}

Result<PickledValue> stored(Pickle& pickle, ValueId id) {
  const auto broken = [] { return failure("its pickle refers to data in no known way"); };
  const PickledValue& about = pickle.at(id);
  if (about.kind != ValueKind::List || about.items.size() < 5) return broken();
  const PickledValue& word = pickle.at(about.items[0]);
  const Global* type = global_of(pickle, about.items[1]);
  const PickledValue& key = pickle.at(about.items[2]);
  const PickledValue& elements = pickle.at(about.items[4]);
  if (word.text != "storage" || type == nullptr || type->kind != GlobalKind::StorageType ||
      key.kind != ValueKind::Text || elements.kind != ValueKind::Number || elements.number < 0)
    return broken();
  if (about.items.size() > 5 && pickle.at(about.items[5]).kind != ValueKind::Nothing)
    return failure(
        fmt::format("its storage {} is a part of another one, which strata does not read; "
                    "load the file with torch and save it again",
                    in_quotes(key.text)));
  pickle.storages.push_back({key.text, type->dtype, static_cast<std::uint64_t>(elements.number)});
  return PickledValue{.kind = ValueKind::Storage,
                      .number = static_cast<std::int64_t>(pickle.storages.size() - 1)};
}

}  // namespace strata::weights
