#include "stored_value.h"

#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "strata/read/read.h"

namespace strata::conformance {

namespace {

// A lone tensor is read the way any tensor is: as a model's initializer.
Result<StoredValue> read_tensor(std::string_view message) {
  std::string bytes, graph_bytes, opset_bytes, named(message);
  {
    protozero::pbf_writer tensor(named);
    tensor.add_string(8, "stored");  // some have no name, which an initializer needs
    protozero::pbf_writer graph(graph_bytes);
    graph.add_message(5, named);
    protozero::pbf_writer opset(opset_bytes);
    opset.add_int64(2, 17);
    protozero::pbf_writer model(bytes);
    model.add_int64(1, 8);
    model.add_message(8, opset_bytes);
    model.add_message(7, graph_bytes);
  }
  auto model = read_onnx(bytes, "stored tensor");
  if (!model) return failure(model);
  if (model->stored.empty()) return failure("no tensor");
  const TensorData& data = model->stored.front();
  StoredValue stored;
  stored.type = TypeInfo::tensor(data.dtype, {});
  for (std::int64_t size : data.dims) stored.type.dims.push_back(size);
  stored.value = decode(data);
  return stored;
}

// SequenceProto: tensors are field 3.
Result<StoredValue> read_sequence(std::string_view message) {
  auto items = std::make_shared<std::vector<TypeInfo>>();
  protozero::pbf_reader reader(message.data(), message.size());
  while (reader.next()) {
    if (reader.tag() != 3) {
      reader.skip();
      continue;
    }
    const auto view = reader.get_view();
    auto item = read_tensor({view.data(), view.size()});
    if (!item) return item;
    items->push_back(std::move(item->type));
  }
  StoredValue stored;
  if (!items->empty()) stored.type = items->front();
  stored.type.kind = ValueKind::Sequence;
  stored.type.items = std::move(items);
  return stored;
}

// OptionalProto: a tensor is field 3, a sequence field 5.
Result<StoredValue> read_optional(std::string_view message, ValueKind kind) {
  protozero::pbf_reader reader(message.data(), message.size());
  while (reader.next()) {
    if (reader.tag() != 3 && reader.tag() != 5) {
      reader.skip();
      continue;
    }
    const bool tensor = reader.tag() == 3;
    const auto view = reader.get_view();
    const std::string_view inner(view.data(), view.size());
    auto stored = tensor ? read_tensor(inner) : read_sequence(inner);
    if (stored) stored->type.kind = kind, stored->value.reset();
    return stored;
  }
  StoredValue empty;
  empty.type.kind = kind;
  return empty;
}

}  // namespace

Result<StoredValue> read_stored(const std::filesystem::path& file, ValueKind kind) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return failure(fmt::format("cannot open {}", file.string()));
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (kind == ValueKind::Sequence) return read_sequence(bytes);
  if (kind == ValueKind::Optional || kind == ValueKind::OptionalSequence)
    return read_optional(bytes, kind);
  return read_tensor(bytes);
}

}  // namespace strata::conformance
