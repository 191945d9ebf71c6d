#include "read/onnx/type.h"

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "base/visible.h"
#include "read/onnx/encoding.h"
#include "read/onnx/entry.h"
#include "read/onnx/proto.h"
#include "read/onnx/size_text.h"
#include "read/onnx/tensor.h"

namespace strata::onnx {

namespace {

constexpr std::size_t kMaxRank = 1000;

class TypeReader {
 public:
  TypeReader(Loading& loading, std::string_view value, OpenSizes open)
      : loading_(loading), value_(value), open_(open) {}

  TypeInfo read(std::string_view message) {
    TypeInfo type;
    for (Fields f(loading_.source, message); f.next();) {
      switch (f.number()) {
        case proto::type::kTensor:
          type = tensor(f.bytes(), ValueKind::Tensor);
          break;
        case proto::type::kSparseTensor:
          type = tensor(f.bytes(), ValueKind::Sparse);
          break;
        case proto::type::kSequence:
          type = sequence(f.bytes());
          break;
        case proto::type::kOptional:
          type = optional(f.bytes());
          break;
        case proto::type::kMap:
          f.skip(), type.kind = ValueKind::Map;
          break;
        case proto::type::kOpaque:
          f.skip(), type.kind = ValueKind::Opaque;
          break;
        default:
          f.skip();
      }
    }
    return type;
  }

 private:
  // The element type of a sequence or optional. Nothing nested deeper than an optional sequence of
  // maps has a kind, so the depth is bounded.
  TypeInfo element(std::string_view message) {
    TypeInfo type;
    ++depth_;
    for (Fields f(loading_.source, message); f.next();) {
      if (f.number() != proto::type::kElement)
        f.skip();
      else if (depth_ > 2)
        f.skip(), type.kind = ValueKind::Opaque;
      else
        type = read(f.bytes());
    }
    --depth_;
    return type;
  }

  TypeInfo sequence(std::string_view message) {
    TypeInfo type = element(message);
    type.kind = type.kind == ValueKind::Tensor ? ValueKind::Sequence
                : type.kind == ValueKind::Map  ? ValueKind::SequenceOfMap
                                               : ValueKind::Opaque;
    return type;
  }

  TypeInfo optional(std::string_view message) {
    TypeInfo type = element(message);
    type.kind = type.kind == ValueKind::Tensor     ? ValueKind::Optional
                : type.kind == ValueKind::Sequence ? ValueKind::OptionalSequence
                                                   : ValueKind::Opaque;
    return type;
  }

  TypeInfo tensor(std::string_view message, ValueKind kind) {
    TypeInfo type;
    type.kind = kind;
    for (Fields f(loading_.source, message); f.next();) {
      switch (f.number()) {
        case proto::type::kElement:
          type.dtype = read_dtype(loading_, f.integer());
          break;
        case proto::type::kShape:
          type.ranked = true;
          shape(f.bytes(), type.dims);
          break;
        default:
          f.skip();
      }
    }
    return type;
  }

  void shape(std::string_view message, Dims& dims) {
    dims.clear();
    for (Fields f(loading_.source, message); f.next();) {
      if (f.number() != proto::shape::kDim) {
        f.skip();
        continue;
      }
      if (dims.size() == kMaxRank) wrong(fmt::format("more than {} axes", kMaxRank));
      dims.push_back(size(f.bytes(), dims.size()));
    }
  }

  Expr size(std::string_view message, std::size_t axis) {
    for (Fields f(loading_.source, message); f.next();) {
      if (f.number() == proto::shape::kDimValue) {
        const std::int64_t number = f.integer();
        if (number == -1) break;  // how some exporters leave it open
        if (number < 0) wrong(fmt::format("an axis of size {}", number));
        if (number > Expr::kMaxNumber) wrong("a shape that overflows");
        return number;
      }
      if (f.number() == proto::shape::kDimParam) {
        const std::string_view text = f.bytes();
        if (!text.empty() && text != "?" && text != "-1" && text != "None")
          return size_from_text(text);
      } else {
        f.skip();
      }
    }
    if (open_ == OpenSizes::Unknown) return Expr::unknown();
    return Expr::symbol(fmt::format("{}_d{}", visible(value_), axis));
  }

  [[noreturn]] void wrong(std::string_view what) {
    loading_.source.wrong(fmt::format("the file declares {} with {}", in_quotes(value_), what));
  }

  Loading& loading_;
  std::string_view value_;
  OpenSizes open_;
  int depth_ = 0;
};

Learned learned_from_kind(std::string_view kind) {
  if (kind == "PARAMETER") return Learned::Yes;
  if (kind == "BUFFER" || kind == "CONSTANT_TENSOR") return Learned::No;
  return Learned::Unknown;
}

}  // namespace

ValueText read_value_info(Source& source, std::string_view message) {
  ValueText value;
  for (Fields f(source, message); f.next();) {
    switch (f.number()) {
      case proto::value_info::kName:
        value.name = f.bytes();
        break;
      case proto::value_info::kType:
        value.type = f.bytes();
        break;
      case proto::value_info::kMetadata: {
        const KeyValue entry = read_entry(source, f.bytes());
        if (entry.key == "pkg.torch.export.graph_signature.InputSpec.kind") {
          value.has_kind = true;
          value.learned = learned_from_kind(entry.value);
        } else if (entry.key == "pkg.onnxscript.optimizer.folded_from") {
          value.folded_from = entry.value;
        }
        break;
      }
      default:
        f.skip();
    }
  }
  return value;
}

TypeInfo read_type(Loading& loading, std::string_view message, std::string_view name,
                   OpenSizes open) {
  TypeInfo type = TypeReader(loading, name, open).read(message);
  if (type.kind == ValueKind::Map || type.kind == ValueKind::SequenceOfMap ||
      type.kind == ValueKind::Opaque)
    type.encoded = encoded(message);
  if (elements(type.dims).is_overflow())
    loading.source.wrong(fmt::format("the file declares {} with a shape that overflows: {}",
                                     in_quotes(name), in_quotes(text(type.dims))));
  return type;
}

}  // namespace strata::onnx
