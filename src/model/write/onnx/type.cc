#include "write/onnx/type.h"

#include "read/onnx/proto.h"
#include "write/onnx/size_text.h"
#include "write/onnx/writing.h"

namespace strata::onnx {

namespace {

Message shape_message(const Dims& dims) {
  Message shape;
  for (const Expr& size : dims) {
    Message dim;
    if (size.is_number())
      dim.integer(proto::shape::kDimValue, size.value());
    else if (size.is_formula())
      dim.text(proto::shape::kDimParam, size_text(size));
    shape.message(proto::shape::kDim, dim);
  }
  return shape;
}

Message tensor_type(const TypeInfo& type, unsigned field) {
  Message tensor;
  tensor.integer(proto::type::kElement, static_cast<std::int64_t>(type.dtype));
  if (type.ranked) tensor.message(proto::type::kShape, shape_message(type.dims));
  Message message;
  message.message(field, tensor);
  return message;
}

// Wraps a type in a sequence or optional.
Message around(unsigned field, const Message& element) {
  Message inner;
  inner.message(proto::type::kElement, element);
  Message message;
  message.message(field, inner);
  return message;
}

}  // namespace

bool says_anything(const TypeInfo& type) {
  return type.kind != ValueKind::Tensor || type.dtype != DType::Undefined || type.ranked;
}

Message type_message(const TypeInfo& type) {
  switch (type.kind) {
    case ValueKind::Tensor:
      return tensor_type(type, proto::type::kTensor);
    case ValueKind::Sparse:
      return tensor_type(type, proto::type::kSparseTensor);
    case ValueKind::Sequence:
      return around(proto::type::kSequence, tensor_type(type, proto::type::kTensor));
    case ValueKind::Optional:
      return around(proto::type::kOptional, tensor_type(type, proto::type::kTensor));
    case ValueKind::OptionalSequence:
      return around(proto::type::kOptional,
                    around(proto::type::kSequence, tensor_type(type, proto::type::kTensor)));
    case ValueKind::Map:
    case ValueKind::SequenceOfMap:
    case ValueKind::Opaque:
      break;
  }
  Message message;
  message.encoded(own_message(type.encoded));
  return message;
}

Message value_message(std::string_view name, const TypeInfo& type) {
  Message value;
  value.text(proto::value_info::kName, name);
  if (says_anything(type)) value.message(proto::value_info::kType, type_message(type));
  return value;
}

}  // namespace strata::onnx
