#include "write/onnx/tensor.h"

#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "read/onnx/proto.h"
#include "write/onnx/value_bytes.h"

namespace strata::onnx {

namespace {

using Store = TensorData::Store;

// Bytes that the elements need; nullopt for types without a fixed size.
std::optional<std::uint64_t> bytes_needed(const TensorData& data, std::string_view name) {
  const auto width = static_cast<std::uint64_t>(bits(data.dtype));
  if (width == 0) return std::nullopt;
  const std::optional<std::int64_t> elements = data.elements().number();
  std::uint64_t total;
  if (!elements || *elements < 0 ||
      __builtin_mul_overflow(static_cast<std::uint64_t>(*elements), width, &total))
    wrong_model(fmt::format("the stored tensor {} has a shape that overflows", in_quotes(name)));
  return total / 8 + (total % 8 != 0 ? 1 : 0);
}

void add_entry(Message& tensor, std::string_view key, std::string_view value) {
  Message entry;
  entry.text(proto::entry::kKey, key);
  entry.text(proto::entry::kValue, value);
  tensor.message(proto::tensor::kExternalData, entry);
}

void add_location(Message& tensor, std::string_view location, std::uint64_t offset,
                  std::optional<std::uint64_t> size) {
  constexpr std::int64_t kExternal = 1;
  add_entry(tensor, "location", location);
  add_entry(tensor, "offset", fmt::format("{}", offset));
  if (size) add_entry(tensor, "length", fmt::format("{}", *size));
  tensor.integer(proto::tensor::kDataLocation, kExternal);
}

// The bytes of a tensor that the model keeps in another file.
std::string_view fetch(Writing& writing, const TensorData& data, std::string_view name,
                       std::uint64_t size) {
  const auto known = writing.sources.find(data.location);
  std::shared_ptr<const MappedFile> file;
  if (known != writing.sources.end()) {
    file = known->second;
  } else {
    if (writing.model.path.empty())
      throw CannotWrite{
          {fmt::format("the stored tensor {} is in {}, which was not looked for "
                       "when the model was read from memory",
                       in_quotes(name), in_quotes(data.location))}};
    const auto folder = std::filesystem::path(writing.model.path).parent_path();
    auto opened = MappedFile::open((folder / data.location).string());
    if (!opened)
      throw CannotWrite{{fmt::format("the stored tensor {} is needed: {}", in_quotes(name),
                                     opened.error().message)}};
    file = *opened;
    writing.sources.emplace(data.location, file);
  }
  const auto offset = static_cast<std::uint64_t>(data.offset);
  if (offset > file->bytes().size() || file->bytes().size() - offset < size)
    throw CannotWrite{{fmt::format(
        "the stored tensor {} needs {} bytes from {} on of {}, which "
        "has only {}",
        in_quotes(name), size, offset, in_quotes(data.location), file->bytes().size())}};
  return file->bytes().substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

// The elements as bytes, wherever they come from; nullopt if there are none. `made` stores bytes
// that are assembled here.
std::optional<Payload> payload_of(Writing& writing, const TensorData& data, std::string_view name,
                                  const Value* value, std::string& made) {
  const std::optional<std::uint64_t> needed = bytes_needed(data, name);
  Payload payload;
  switch (data.store) {
    case Store::Raw:
      if (needed && data.bytes.size() != *needed)
        wrong_model(fmt::format("the stored tensor {} needs {} bytes, but has {}", in_quotes(name),
                                *needed, data.bytes.size()));
      payload.memory = data.bytes;
      payload.size = data.bytes.size();
      return payload;
    case Store::External:
      if (!needed)
        wrong_model(fmt::format("the stored tensor {} is in {}, but has no element type",
                                in_quotes(name), in_quotes(data.location)));
      payload.memory = fetch(writing, data, name, *needed);
      payload.size = *needed;
      payload.may_forget = true;
      return payload;
    case Store::Absent:
      if (!needed) return std::nullopt;
      payload.size = *needed;
      if (value != nullptr)
        if (std::optional<std::string> bytes = value_bytes(*value, data.dtype);
            bytes && bytes->size() == *needed) {
          made = std::move(*bytes);
          payload.memory = made;
          return payload;
        }
      if (writing.options.fill && *needed > 0) {
        payload.fill = &data;
        return payload;
      }
      if (*needed == 0) return payload;
      return std::nullopt;
    case Store::Encoded:
    case Store::Sparse:
      break;
  }
  return std::nullopt;
}

bool is_element_field(unsigned number) {
  switch (number) {
    case proto::tensor::kFloatData:
    case proto::tensor::kInt32Data:
    case proto::tensor::kStringData:
    case proto::tensor::kInt64Data:
    case proto::tensor::kDoubleData:
    case proto::tensor::kUint64Data:
      return true;
    default:
      return false;
  }
}

void add_typed(Message& tensor, const TensorData& data) {
  if (data.encoded.bytes.empty()) {
    for (const std::string_view text : data.texts) tensor.text(proto::tensor::kStringData, text);
    return;
  }
  tensor.fields_of(own_message(data.encoded), is_element_field);
}

Message dense(Writing& writing, const TensorData& data, std::string_view name, const Value* value,
              bool may_go_outside) {
  Message tensor;
  for (const std::int64_t size : data.dims) tensor.integer(proto::tensor::kDims, size);
  tensor.integer(proto::tensor::kDataType, static_cast<std::int64_t>(data.dtype));
  if (data.store == Store::Encoded) add_typed(tensor, data);
  if (!name.empty()) tensor.text(proto::tensor::kName, name);
  if (data.store == Store::Encoded) return tensor;
  if (data.store == Store::External &&
      writing.options.elsewhere == WriteOptions::Elsewhere::Refer) {
    if (data.location == writing.data.name)
      throw CannotWrite{
          {fmt::format("the stored tensor {} is in {}, which is also where the new "
                       "file's weights go; write it under another name",
                       in_quotes(name), in_quotes(data.location))}};
    add_location(tensor, data.location, static_cast<std::uint64_t>(data.offset),
                 bytes_needed(data, name));
    return tensor;
  }
  std::string made;
  const std::optional<Payload> payload = payload_of(writing, data, name, value, made);
  if (!payload) return tensor;
  const bool outside = may_go_outside && made.empty() && !writing.data.name.empty() &&
                       payload->size >= writing.options.min_outside;
  if (outside)
    add_location(tensor, writing.data.name, writing.data.add(*payload), payload->size);
  else if (!made.empty())
    tensor.text(proto::tensor::kRawData, made);
  else
    tensor.payload(proto::tensor::kRawData, *payload);
  return tensor;
}

// Encoded as in the file, except for the name, which is that of its values.
Message sparse(const TensorData& data, std::string_view name) {
  if (data.encoded.bytes.empty())
    wrong_model(fmt::format("the sparse tensor {} has no elements to write", in_quotes(name)));
  if (!data.location.empty())
    throw CannotWrite{
        {fmt::format("the sparse tensor {} keeps its values in {}, which strata "
                     "cannot copy",
                     in_quotes(name), in_quotes(data.location))}};
  Message tensor;
  std::string_view left = own_message(data.encoded);
  while (!left.empty()) {
    const EncodedField field = take_field(left);
    if (field.number != proto::sparse_tensor::kValues) {
      tensor.encoded(field.whole);
      continue;
    }
    Message values;
    values.fields_of(field.content, [](unsigned number) { return number != proto::tensor::kName; });
    if (!name.empty()) values.text(proto::tensor::kName, name);
    tensor.message(proto::sparse_tensor::kValues, values);
  }
  return tensor;
}

}  // namespace

Message initializer_message(Writing& writing, const TensorData& data, std::string_view name,
                            const Value* value) {
  if (data.store == Store::Sparse) return sparse(data, name);
  return dense(writing, data, name, value, true);
}

Message tensor_message(Writing& writing, const TensorData& data) {
  if (data.store == Store::Sparse) return sparse(data, data.name);
  return dense(writing, data, data.name, nullptr, false);
}

}  // namespace strata::onnx
