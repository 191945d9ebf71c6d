#include "read/onnx/tensor.h"

#include <charconv>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "read/onnx/encoding.h"
#include "read/onnx/entry.h"
#include "read/onnx/proto.h"
#include "read/onnx/typed_data.h"

namespace strata::onnx {

namespace {

constexpr std::size_t kMaxRank = 1000;

struct TensorText {
  std::string_view name;
  InlineVector<std::int64_t, 8> dims;
  std::int64_t dtype = 0;
  std::string_view raw;
  TypedData typed;
  bool is_external = false;
  std::string_view location;
  std::string_view offset;
  std::string_view length;
};

[[noreturn]] void wrong(const Loading& loading, std::string_view name, std::string_view what,
                        Code code = Code::General) {
  loading.source.wrong(name.empty() ? fmt::format("a stored tensor without a name {}", what)
                                    : fmt::format("the stored tensor {} {}", in_quotes(name), what),
                       code);
}

void read_external(Source& source, std::string_view message, TensorText& tensor) {
  const auto [key, value] = read_entry(source, message);
  if (key == "location") tensor.location = value;
  if (key == "offset") tensor.offset = value;
  if (key == "length") tensor.length = value;
}

template <std::size_t N>
void read_dims(Fields& field, InlineVector<std::int64_t, N>& dims, Source& source) {
  field.each_integer([&](std::int64_t size) {
    if (dims.size() == kMaxRank)
      source.wrong(fmt::format("a stored tensor has more than {} axes", kMaxRank));
    dims.push_back(size);
  });
}

TensorText read_text(Source& source, std::string_view message) {
  TensorText tensor;
  for (Fields f(source, message); f.next();) {
    switch (f.number()) {
      case proto::tensor::kDims:
        read_dims(f, tensor.dims, source);
        break;
      case proto::tensor::kDataType:
        tensor.dtype = f.integer();
        break;
      case proto::tensor::kName:
        tensor.name = f.bytes();
        break;
      case proto::tensor::kRawData:
        tensor.raw = f.bytes();
        break;
      case proto::tensor::kFloatData:
      case proto::tensor::kInt32Data:
      case proto::tensor::kStringData:
      case proto::tensor::kInt64Data:
      case proto::tensor::kDoubleData:
      case proto::tensor::kUint64Data:
        tensor.typed.add(f);
        break;
      case proto::tensor::kExternalData:
        read_external(source, f.bytes(), tensor);
        break;
      case proto::tensor::kDataLocation:
        tensor.is_external = f.integer() == 1;
        break;
      default:
        f.skip();
    }
  }
  return tensor;
}

// The product of dims; an error if one is negative or the product overflows.
std::int64_t count_elements(const Loading& loading, std::string_view name,
                            std::span<const std::int64_t> dims) {
  for (const std::int64_t size : dims)
    if (size < 0) wrong(loading, name, fmt::format("has an axis of size {}", size));
  const Expr product = elements_of(dims);
  if (!product.is_number()) {
    std::string sizes;
    for (const std::int64_t size : dims.first(std::min<std::size_t>(dims.size(), 8)))
      sizes += fmt::format("{}{}", sizes.empty() ? "" : "×", size);
    wrong(loading, name, fmt::format("has a shape that overflows: {}", sizes));
  }
  return product.value();
}

// Bytes that this many elements take; nullopt if the type has no fixed size or the result
// overflows.
std::optional<std::uint64_t> bytes_needed(std::int64_t elements, DType dtype) {
  const int width = bits(dtype);
  std::uint64_t total;
  if (width == 0 || __builtin_mul_overflow(static_cast<std::uint64_t>(elements),
                                           static_cast<std::uint64_t>(width), &total))
    return std::nullopt;
  return total / 8 + (total % 8 != 0 ? 1 : 0);
}

std::uint64_t read_number(const Loading& loading, const TensorText& tensor, std::string_view key,
                          std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() ||
      number > static_cast<std::uint64_t>(Expr::kMaxNumber))
    wrong(loading, tensor.name,
          fmt::format("has {} as its data's {}, which is not a size", in_quotes(text), key));
  return number;
}

void place_external(Loading& loading, const TensorText& tensor, std::optional<std::uint64_t> needed,
                    TensorData& data) {
  data.store = TensorData::Store::External;
  data.location = tensor.location;
  if (tensor.location.empty())
    wrong(loading, tensor.name, "says that its data is in another file, but not in which");
  const std::uint64_t offset =
      tensor.offset.empty() ? 0 : read_number(loading, tensor, "offset", tensor.offset);
  data.offset = static_cast<std::int64_t>(offset);
  if (!tensor.length.empty()) {
    const std::uint64_t length = read_number(loading, tensor, "length", tensor.length);
    if (needed && length != *needed)
      wrong(loading, tensor.name,
            fmt::format("needs {} bytes, but says that {} holds {} for it", *needed,
                        in_quotes(tensor.location), length));
    needed = length;
  }
  const ExternalFiles::File& file = loading.external.find(tensor.location);
  if (!file.problem.empty())
    wrong(loading, tensor.name, file.problem, file.outside ? Code::OutsideData : Code::General);
  if (file.missing)
    loading.note(
        fmt::format("{}, which holds weights, is not beside the model; costs do not "
                    "depend on it",
                    in_quotes(tensor.location)));
  const std::uint64_t end = offset + needed.value_or(0);
  if (file.size && *file.size < end)
    wrong(loading, tensor.name,
          fmt::format("needs bytes {} to {} of {}, which has only {}; it was cut off, or belongs "
                      "to another model",
                      offset, end, in_quotes(tensor.location), *file.size));
  const bool is_short = needed && *needed <= kMaxValueElements * sizeof(std::int64_t);
  const bool may_shape =
      data.dtype == DType::I64 || data.dtype == DType::I32 || data.dtype == DType::Bool;
  if (!is_short || !may_shape || file.path.empty()) return;
  if (const auto bytes = ExternalFiles::read(file, offset, *needed)) {
    data.store = TensorData::Store::Raw;
    data.bytes = loading.model.keep(std::string_view(*bytes));
  }
}

void place_elements(Loading& loading, const TensorText& tensor, std::string_view message,
                    TensorData& data) {
  const std::int64_t elements = count_elements(loading, tensor.name, tensor.dims);
  const std::optional<std::uint64_t> needed = bytes_needed(elements, data.dtype);
  const bool countable = data.dtype == DType::String || bits(data.dtype) != 0;
  if (bits(data.dtype) != 0 && !needed)
    wrong(loading, tensor.name, "has a shape that overflows when its bytes are counted");
  if (tensor.is_external) return place_external(loading, tensor, needed, data);
  if (!tensor.raw.empty() && !tensor.typed.empty())
    wrong(loading, tensor.name, "has its elements twice, as bytes and as numbers");
  if (!tensor.raw.empty()) {
    if (data.dtype == DType::String) wrong(loading, tensor.name, "keeps texts as raw bytes");
    if (needed && tensor.raw.size() != *needed)
      wrong(loading, tensor.name,
            fmt::format("needs {} byte{} for its {} element{} of {}, but has {}", *needed,
                        *needed == 1 ? "" : "s", elements, elements == 1 ? "" : "s",
                        name_of(data.dtype), tensor.raw.size()));
    data.store = TensorData::Store::Raw;
    data.bytes = tensor.raw;
  } else if (!tensor.typed.empty()) {
    data.store = TensorData::Store::Encoded;
    data.encoded = encoded(message);
    if (!countable) return;
    const std::string problem = tensor.typed.place(loading, message, elements, data);
    if (!problem.empty()) wrong(loading, tensor.name, problem);
  } else if (elements == 0) {
    data.store = TensorData::Store::Raw;
  }
}

void read_data(Loading& loading, std::string_view message, TensorData& data) {
  const TensorText tensor = read_text(loading.source, message);
  data.name = tensor.name;
  data.dtype = read_dtype(loading, tensor.dtype);
  place_elements(loading, tensor, message, data);
  data.dims = loading.model.keep(std::span<const std::int64_t>(tensor.dims));
}

}  // namespace

DType read_dtype(Loading& loading, std::int64_t number) {
  const std::optional<DType> dtype = dtype_from_onnx(number);
  if (!dtype)
    loading.note(fmt::format("element type {} is not known to this version of strata", number));
  return dtype.value_or(DType::Undefined);
}

TensorData* read_tensor(Loading& loading, std::string_view message) {
  TensorData& data = loading.model.stored.emplace_back();
  read_data(loading, message, data);
  return &data;
}

TensorData* read_sparse_tensor(Loading& loading, std::string_view message) {
  std::string_view values;
  std::string_view indices;
  InlineVector<std::int64_t, 8> dims;
  for (Fields f(loading.source, message); f.next();) {
    switch (f.number()) {
      case proto::sparse_tensor::kValues:
        values = f.bytes();
        break;
      case proto::sparse_tensor::kIndices:
        indices = f.bytes();
        break;
      case proto::sparse_tensor::kDims:
        read_dims(f, dims, loading.source);
        break;
      default:
        f.skip();
    }
  }
  TensorData data, places;
  read_data(loading, values, data);
  read_data(loading, indices, places);
  const std::int64_t dense = count_elements(loading, data.name, dims);
  if (data.dims.size() != 1)
    wrong(loading, data.name,
          fmt::format("is sparse; its values have {} axes in place of one", data.dims.size()));
  data.nonzeros = data.dims[0];
  if (data.nonzeros > dense)
    wrong(loading, data.name,
          fmt::format("is sparse and has {} values for {} elements", data.nonzeros, dense));
  const bool fits =
      !places.dims.empty() && places.dims.size() <= 2 && places.dims[0] == data.nonzeros &&
      (places.dims.size() == 1 || places.dims[1] == static_cast<std::int64_t>(dims.size()));
  if (!fits && data.nonzeros != 0)
    wrong(loading, data.name, "is sparse; it has not one index for each of its values");
  data.store = TensorData::Store::Sparse;
  data.bytes = {};
  data.encoded = encoded(message);
  data.dims = loading.model.keep(std::span<const std::int64_t>(dims));
  return &loading.model.stored.emplace_back(data);
}

}  // namespace strata::onnx
