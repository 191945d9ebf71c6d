#include "read/onnx/attribute.h"

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "read/onnx/calls.h"
#include "read/onnx/encoding.h"
#include "read/onnx/proto.h"
#include "read/onnx/tensor.h"
#include "read/onnx/type.h"

namespace strata::onnx {

namespace {

// Attribute types as the file numbers them.
enum class Kind : std::int64_t {
  Undefined = 0,
  Float = 1,
  Int = 2,
  String = 3,
  Tensor = 4,
  Graph = 5,
  Floats = 6,
  Ints = 7,
  Strings = 8,
  Tensors = 9,
  Graphs = 10,
  SparseTensor = 11,
  SparseTensors = 12,
  TypeProto = 13,
  TypeProtos = 14,
};

struct AttributeText {
  std::string_view name;
  std::string_view reference;
  std::int64_t declared = 0;
  Kind found = Kind::Undefined;  // what the value fields suggest
  std::int64_t integer = 0;
  float real = 0;
  std::string_view bytes;  // text, or the message of a tensor, graph or type
  std::uint64_t list_items = 0;
  // The first few integers; most lists have no more.
  static constexpr std::size_t kFew = 8;
  std::int64_t few[kFew];
};

AttributeText read_text(Source& source, std::string_view message) {
  AttributeText text;
  const auto take = [&](Kind kind) {
    if (text.found != Kind::Undefined && text.found != kind)
      source.wrong("an attribute of it has values of several types");
    text.found = kind;
  };
  const auto one = [&](Kind kind, Fields& f) {
    take(kind);
    text.bytes = f.bytes();
  };
  const auto many = [&](Kind kind, std::uint64_t count) {
    take(kind);
    text.list_items += count;
  };
  for (Fields f(source, message); f.next();) {
    switch (f.number()) {
      case proto::attribute::kName:
        text.name = f.bytes();
        break;
      case proto::attribute::kRefAttrName:
        text.reference = f.bytes();
        break;
      case proto::attribute::kType:
        text.declared = f.integer();
        break;
      case proto::attribute::kFloat:
        take(Kind::Float), text.real = f.real();
        break;
      case proto::attribute::kInt:
        take(Kind::Int), text.integer = f.integer();
        break;
      case proto::attribute::kString:
        one(Kind::String, f);
        break;
      case proto::attribute::kTensor:
        one(Kind::Tensor, f);
        break;
      case proto::attribute::kGraph:
        one(Kind::Graph, f);
        break;
      case proto::attribute::kSparseTensor:
        one(Kind::SparseTensor, f);
        break;
      case proto::attribute::kTypeProto:
        one(Kind::TypeProto, f);
        break;
      case proto::attribute::kFloats: {
        std::uint64_t count = 0;
        f.each_fixed<float>([&](float) { ++count; });
        many(Kind::Floats, count);
        break;
      }
      case proto::attribute::kInts: {
        std::uint64_t count = 0;
        f.each_integer([&](std::int64_t item) {
          const std::uint64_t i = text.list_items + count++;
          if (i < AttributeText::kFew) text.few[i] = item;
        });
        many(Kind::Ints, count);
        break;
      }
      case proto::attribute::kStrings:
        f.bytes(), many(Kind::Strings, 1);
        break;
      case proto::attribute::kGraphs:
        f.bytes(), many(Kind::Graphs, 1);
        break;
      case proto::attribute::kTensors:
        f.bytes(), many(Kind::Tensors, 1);
        break;
      case proto::attribute::kSparseTensors:
        f.bytes(), many(Kind::SparseTensors, 1);
        break;
      case proto::attribute::kTypeProtos:
        f.bytes(), many(Kind::TypeProtos, 1);
        break;
      default:
        f.skip();
    }
  }
  return text;
}

// The elements of a list attribute: `read` takes the field and passes each element to its argument.
template <class T, class Read>
std::span<T> read_list(Loading& loading, const AttributeText& text, std::string_view message,
                       unsigned number, Read&& read) {
  loading.count_list_items(text.list_items);
  const auto items = loading.model.keep_span<T>(static_cast<std::size_t>(text.list_items));
  std::size_t count = 0;
  for (Fields f(loading.source, message); f.next();) {
    if (f.number() == number)
      read(f, [&](T item) { items[count++] = item; });
    else
      f.skip();
  }
  return items;
}

Kind kind_of(Loading& loading, const AttributeText& text) {
  const auto declared = static_cast<Kind>(text.declared);
  if (declared == Kind::Undefined || text.declared > static_cast<std::int64_t>(Kind::TypeProtos))
    return text.found;
  // An empty list, or a zero that the writer omitted, has no value field.
  if (text.found != Kind::Undefined && text.found != declared)
    loading.source.wrong(
        fmt::format("its attribute {} says that it is of type {}, but has a value of type {}",
                    in_quotes(text.name), text.declared, static_cast<std::int64_t>(text.found)));
  return declared;
}

bool read_referred(Loading& loading, const Environment& here, const Environment& meaning,
                   const AttributeText& text, Attribute& attribute) {
  if (meaning.call == nullptr)
    loading.source.wrong(
        fmt::format("its attribute {} refers to a function's attribute {}, but it "
                    "is in no function",
                    in_quotes(text.name), in_quotes(text.reference)));
  const Call& call = *meaning.call;
  for (const Default& given : call.attributes)
    if (given.name == text.reference) {
      if (!read_attribute(loading, here, call.caller, given.message, attribute)) return false;
      attribute.name = text.name;
      return true;
    }
  for (const Default& usual : call.function.defaults)
    if (usual.name == text.reference) {
      Environment plain = meaning;
      plain.call = nullptr;  // a default cannot refer to anything
      if (!read_attribute(loading, here, plain, usual.message, attribute)) return false;
      attribute.name = text.name;
      return true;
    }
  return false;
}

}  // namespace

bool read_attribute(Loading& loading, const Environment& here, const Environment& meaning,
                    std::string_view message, Attribute& attribute) {
  const AttributeText text = read_text(loading.source, message);
  if (!text.reference.empty()) return read_referred(loading, here, meaning, text, attribute);
  attribute.name = text.name;
  switch (kind_of(loading, text)) {
    case Kind::Float:
      attribute.value = text.real;
      break;
    case Kind::Int:
      attribute.value = text.integer;
      break;
    case Kind::String:
      attribute.value = text.bytes;
      break;
    case Kind::Tensor:
      if (text.found == Kind::Tensor) attribute.value = read_tensor(loading, text.bytes);
      break;
    case Kind::SparseTensor:
      if (text.found == Kind::SparseTensor)
        attribute.value = read_sparse_tensor(loading, text.bytes);
      break;
    case Kind::Graph:
      if (text.found == Kind::Graph)
        attribute.value = read_body(loading, here, meaning, text.bytes);
      break;
    case Kind::TypeProto:
      if (text.found == Kind::TypeProto)
        attribute.value =
            loading.model.keep(read_type(loading, text.bytes, text.name, OpenSizes::Unknown));
      break;
    case Kind::Floats:
      attribute.value = std::span<const float>(
          read_list<float>(loading, text, message, proto::attribute::kFloats,
                           [](Fields& f, auto take) { f.each_fixed<float>(take); }));
      break;
    case Kind::Ints:
      if (text.found == Kind::Ints && text.list_items <= AttributeText::kFew) {
        loading.count_list_items(text.list_items);
        attribute.value = loading.model.keep(
            std::span<const std::int64_t>(text.few, static_cast<std::size_t>(text.list_items)));
        break;
      }
      attribute.value = std::span<const std::int64_t>(
          read_list<std::int64_t>(loading, text, message, proto::attribute::kInts,
                                  [](Fields& f, auto take) { f.each_integer(take); }));
      break;
    case Kind::Strings:
      attribute.value = std::span<const std::string_view>(
          read_list<std::string_view>(loading, text, message, proto::attribute::kStrings,
                                      [](Fields& f, auto take) { take(f.bytes()); }));
      break;
    case Kind::Graphs:
      attribute.value = std::span<Graph* const>(read_list<Graph*>(
          loading, text, message, proto::attribute::kGraphs,
          [&](Fields& f, auto take) { take(read_body(loading, here, meaning, f.bytes())); }));
      break;
    default:
      break;  // lists of tensors and of types: no operator has them
  }
  if (std::holds_alternative<std::monostate>(attribute.value)) attribute.value = encoded(message);
  return true;
}

}  // namespace strata::onnx
