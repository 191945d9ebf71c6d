#include <fmt/format.h>

#include "base/in_quotes.h"
#include "read/onnx/proto.h"
#include "write/onnx/graph.h"
#include "write/onnx/tensor.h"
#include "write/onnx/type.h"

namespace strata::onnx {

namespace {

namespace field = proto::attribute;

// Attribute types as the file numbers them.
enum Kind : std::int64_t {
  kFloatKind = 1,
  kIntKind = 2,
  kStringKind = 3,
  kTensorKind = 4,
  kGraphKind = 5,
  kFloatsKind = 6,
  kIntsKind = 7,
  kStringsKind = 8,
  kGraphsKind = 10,
  kSparseTensorKind = 11,
  kTypeProtoKind = 13,
};

// Writes the value and returns its kind.
class ValueWriter {
 public:
  ValueWriter(Writing& writing, const Attribute& attribute, const WrittenNames& names,
              Message& message)
      : writing_(writing), attribute_(attribute), names_(names), message_(message) {}

  std::int64_t operator()(std::monostate) const {
    wrong_model(fmt::format("the attribute {} has no value", in_quotes(attribute_.name)));
  }
  std::int64_t operator()(std::int64_t item) const {
    message_.integer(field::kInt, item);
    return kIntKind;
  }
  std::int64_t operator()(float item) const {
    message_.real(field::kFloat, item);
    return kFloatKind;
  }
  std::int64_t operator()(std::string_view text) const {
    message_.text(field::kString, text);
    return kStringKind;
  }
  std::int64_t operator()(std::span<const std::int64_t> items) const {
    for (const std::int64_t item : items) message_.integer(field::kInts, item);
    return kIntsKind;
  }
  std::int64_t operator()(std::span<const float> items) const {
    for (const float item : items) message_.real(field::kFloats, item);
    return kFloatsKind;
  }
  std::int64_t operator()(std::span<const std::string_view> items) const {
    for (const std::string_view text : items) message_.text(field::kStrings, text);
    return kStringsKind;
  }
  std::int64_t operator()(const TensorData* data) const {
    const bool is_sparse = data->store == TensorData::Store::Sparse;
    message_.message(is_sparse ? field::kSparseTensor : field::kTensor,
                     tensor_message(writing_, *data));
    return is_sparse ? kSparseTensorKind : kTensorKind;
  }
  std::int64_t operator()(const TypeInfo* type) const {
    message_.message(field::kTypeProto, type_message(*type));
    return kTypeProtoKind;
  }
  std::int64_t operator()(Graph* body) const {
    message_.message(field::kGraph, graph_message(writing_, *body, &names_));
    return kGraphKind;
  }
  std::int64_t operator()(std::span<Graph* const> bodies) const {
    for (const Graph* body : bodies)
      message_.message(field::kGraphs, graph_message(writing_, *body, &names_));
    return kGraphsKind;
  }
  // Copied whole, keeping its kind; only its name may have changed.
  std::int64_t operator()(const Encoded& encoded) const {
    message_.fields_of(own_message(encoded), [](unsigned number) {
      return number != field::kName && number != field::kRefAttrName;
    });
    return 0;
  }

 private:
  Writing& writing_;
  const Attribute& attribute_;
  const WrittenNames& names_;
  Message& message_;
};

}  // namespace

Message attribute_message(Writing& writing, const Attribute& attribute, const WrittenNames& names) {
  Message message;
  message.text(field::kName, attribute.name);
  const std::int64_t kind =
      std::visit(ValueWriter(writing, attribute, names, message), attribute.value);
  if (kind != 0) message.integer(field::kType, kind);
  return message;
}

}  // namespace strata::onnx
