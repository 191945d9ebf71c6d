#include "data/onnx_tensor.h"

#include <cstring>

#include <fmt/format.h>
#include <protozero/pbf_reader.hpp>

#include "strata/graph/shape.h"

namespace strata {

namespace {

tl::unexpected<Error> broken(std::string_view label, std::string_view what) {
  return failure(Code::FileBroken, {.file = std::string(label), .name = "onnx tensor"},
                 fmt::format("{}: {}", label, what));
}

// TensorProto's fields.
enum Field : protozero::pbf_tag_type {
  kDims = 1,
  kDataType = 2,
  kFloats = 4,
  kInt32s = 5,
  kStrings = 6,
  kInt64s = 7,
  kName = 8,
  kRaw = 9,
  kDoubles = 10,
  kUint64s = 11,
  kLocation = 14,
};

template <class To, class Items>
void append(std::vector<std::byte>& data, const Items& items) {
  for (const auto item : items) {
    const To element = static_cast<To>(item);
    const auto* bytes = reinterpret_cast<const std::byte*>(&element);
    data.insert(data.end(), bytes, bytes + sizeof(To));
  }
}

// int32_data holds every type of at most 32 bits.
template <class Items>
void append_small(std::vector<std::byte>& data, DType type, const Items& items) {
  switch (bits(type)) {
    case 8:
      return append<std::uint8_t>(data, items);
    case 16:
      return append<std::uint16_t>(data, items);
    default:
      return append<std::int32_t>(data, items);
  }
}

// True if a field has the wire type that its number requires; protozero assumes that it does.
bool is_sound(const protozero::pbf_reader& reader) {
  using Wire = protozero::pbf_wire_type;
  const Wire wire = reader.wire_type();
  switch (reader.tag()) {
    case kDataType:
    case kLocation:
      return wire == Wire::varint;
    case kName:
    case kRaw:
    case kUint64s:
      return wire == Wire::length_delimited;
    case kDims:
    case kInt32s:
    case kInt64s:
      return wire == Wire::varint || wire == Wire::length_delimited;
    case kFloats:
      return wire == Wire::fixed32 || wire == Wire::length_delimited;
    case kDoubles:
      return wire == Wire::fixed64 || wire == Wire::length_delimited;
    default:
      return true;
  }
}

// Reads name, type, dims, and the one field that holds the elements as memory does.
OnnxTensorHead parse_head(std::string_view bytes) {
  OnnxTensorHead head;
  for (protozero::pbf_reader reader(bytes.data(), bytes.size()); reader.next();) {
    if (!is_sound(reader)) throw protozero::unknown_pbf_wire_type_exception();
    const bool packed = reader.wire_type() == protozero::pbf_wire_type::length_delimited;
    if (reader.tag() == kDataType) {
      head.dtype = dtype_from_onnx(reader.get_int32()).value_or(DType::Undefined);
    } else if (reader.tag() == kDims && packed) {
      for (const std::int64_t size : reader.get_packed_int64()) head.dims.push_back(size);
    } else if (reader.tag() == kDims) {
      head.dims.push_back(reader.get_int64());
    } else if (reader.tag() == kName) {
      head.name = reader.get_string();
    } else if (reader.tag() == kRaw) {
      const auto raw = reader.get_view();
      head.raw = {raw.data(), raw.size()};
    } else {
      reader.skip();
    }
  }
  return head;
}

Result<HostTensor> parse(std::string_view bytes, std::string_view label) {
  HostTensor tensor;
  bool outside = false;
  // The type decides how int32_data is stored, so it must be found first.
  tensor.dtype = parse_head(bytes).dtype;
  if (bits(tensor.dtype) < 8)
    return failure(fmt::format("{}: tensors of the type {} are not read from files", label,
                               name_of(tensor.dtype)));
  for (protozero::pbf_reader reader(bytes.data(), bytes.size()); reader.next();) {
    const bool packed = reader.wire_type() == protozero::pbf_wire_type::length_delimited;
    switch (reader.tag()) {
      case kDims:
        if (packed)
          for (const std::int64_t size : reader.get_packed_int64()) tensor.dims.push_back(size);
        else
          tensor.dims.push_back(reader.get_int64());
        break;
      case kName:
        tensor.name = reader.get_string();
        break;
      case kRaw: {
        const auto raw = reader.get_view();
        const auto* data = reinterpret_cast<const std::byte*>(raw.data());
        tensor.data.assign(data, data + raw.size());
        break;
      }
      case kFloats:
        if (packed)
          append<float>(tensor.data, reader.get_packed_float());
        else
          append<float>(tensor.data, std::initializer_list<float>{reader.get_float()});
        break;
      case kDoubles:
        if (packed)
          append<double>(tensor.data, reader.get_packed_double());
        else
          append<double>(tensor.data, std::initializer_list<double>{reader.get_double()});
        break;
      case kInt32s:
        if (packed)
          append_small(tensor.data, tensor.dtype, reader.get_packed_int32());
        else
          append_small(tensor.data, tensor.dtype,
                       std::initializer_list<std::int32_t>{reader.get_int32()});
        break;
      case kInt64s:
        if (packed)
          append<std::int64_t>(tensor.data, reader.get_packed_int64());
        else
          append<std::int64_t>(tensor.data,
                               std::initializer_list<std::int64_t>{reader.get_int64()});
        break;
      case kUint64s:
        if (bits(tensor.dtype) == 32)
          append<std::uint32_t>(tensor.data, reader.get_packed_uint64());
        else
          append<std::uint64_t>(tensor.data, reader.get_packed_uint64());
        break;
      case kLocation:
        outside = reader.get_int32() != 0;
        break;
      default:
        reader.skip();
    }
  }
  Expr count = 1;
  for (const std::int64_t size : tensor.dims) {
    if (size < 0) return broken(label, fmt::format("has the negative size {}", size));
    count *= size;
  }
  const Expr needed = strata::bytes(count, tensor.dtype);
  if (outside) return failure(fmt::format("{}: its elements are in another file", label));
  if (!needed.is_number() || static_cast<std::uint64_t>(needed.value()) != tensor.data.size())
    return broken(label, fmt::format("its shape needs {} bytes and it has {}", needed.text(),
                                     tensor.data.size()));
  return tensor;
}

}  // namespace

Result<OnnxTensorHead> read_onnx_tensor_head(std::string_view bytes, std::string_view label) {
  try {
    return parse_head(bytes);
  } catch (const std::exception& error) {
    return broken(label, fmt::format("not an ONNX tensor: {}", error.what()));
  }
}

Result<HostTensor> read_onnx_tensor(std::string_view bytes, std::string_view label) {
  try {
    return parse(bytes, label);
  } catch (const std::exception& error) {
    return broken(label, fmt::format("not an ONNX tensor: {}", error.what()));
  }
}

}  // namespace strata
