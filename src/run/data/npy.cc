#include "data/npy.h"

#include <charconv>

#include <fmt/format.h>

#include "strata/graph/shape.h"

namespace strata {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

tl::unexpected<Error> wrong(std::string_view label, std::string_view what) {
  return failure(Code::FileBroken, {.file = std::string(label), .name = "npy"},
                 fmt::format("{}: not a .npy file that can be read: {}", label, what));
}

// The text after `'key':` in the header's dictionary, up to the next entry.
std::string_view entry(std::string_view header, std::string_view key) {
  const std::string quoted = fmt::format("'{}':", key);
  const std::size_t at = header.find(quoted);
  if (at == header.npos) return {};
  std::string_view rest = header.substr(at + quoted.size());
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  return rest;
}

// numpy's letters for kind and size, little endian: `<f4`.
DType dtype_of(std::string_view text) {
  constexpr std::pair<std::string_view, DType> kTypes[] = {
      {"<f4", DType::F32}, {"<f8", DType::F64},  {"<f2", DType::F16}, {"|u1", DType::U8},
      {"|i1", DType::I8},  {"<u2", DType::U16},  {"<i2", DType::I16}, {"<u4", DType::U32},
      {"<i4", DType::I32}, {"<u8", DType::U64},  {"<i8", DType::I64}, {"|b1", DType::Bool},
      {"<c8", DType::C64}, {"<c16", DType::C128}};
  for (const auto& [word, type] : kTypes)
    if (text.starts_with(word) && text.substr(word.size()).starts_with('\'')) return type;
  return DType::Undefined;
}

}  // namespace

Result<NpyHeader> read_npy_header(std::string_view bytes, std::string_view label) {
  if (!bytes.starts_with(kMagic) || bytes.size() < 12) return wrong(label, "its start is another");
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i]));
  };
  const bool old = byte(6) == 1;
  const std::size_t start = old ? 10 : 12;
  const std::size_t length =
      old ? byte(8) | byte(9) << 8 : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  if (length > bytes.size() - start) return wrong(label, "the header is longer than the file");
  const std::string_view header = bytes.substr(start, length);

  std::string_view type = entry(header, "descr");
  if (!type.starts_with('\'')) return wrong(label, "the header does not say the type");
  type.remove_prefix(1);
  NpyHeader array;
  array.dtype = dtype_of(type);
  if (array.dtype == DType::Undefined)
    return wrong(label, fmt::format("the type {} is none that models have (or is big endian)",
                                    type.substr(0, std::min<std::size_t>(type.find('\''), 16))));
  if (entry(header, "fortran_order").starts_with("True"))
    return wrong(label, "its elements are in column order; save numpy.ascontiguousarray(x)");
  std::string_view shape = entry(header, "shape");
  if (!shape.starts_with('(')) return wrong(label, "the header does not say the shape");
  shape.remove_prefix(1);
  Expr count = 1;
  while (!shape.empty() && shape[0] != ')') {
    std::int64_t size = 0;
    const auto [end, status] = std::from_chars(shape.data(), shape.data() + shape.size(), size);
    if (status != std::errc() || size < 0) return wrong(label, "the shape is not a list of sizes");
    array.dims.push_back(size);
    count *= size;
    shape.remove_prefix(static_cast<std::size_t>(end - shape.data()));
    while (shape.starts_with(',') || shape.starts_with(' ')) shape.remove_prefix(1);
  }
  const Expr needed = strata::bytes(count, array.dtype);
  if (!needed.is_number())
    return wrong(label, fmt::format("its shape needs {} bytes", needed.text()));
  array.start = start + length;
  array.element_bytes = static_cast<std::uint64_t>(needed.value());
  return array;
}

Result<HostTensor> read_npy(std::string_view bytes, std::string_view label) {
  auto array = read_npy_header(bytes, label);
  if (!array) return failure(array);
  const std::string_view elements = bytes.substr(array->start);
  if (array->element_bytes != elements.size())
    return wrong(label, fmt::format("its shape needs {} bytes and it has {}", array->element_bytes,
                                    elements.size()));
  HostTensor tensor;
  tensor.dtype = array->dtype;
  tensor.dims = std::move(array->dims);
  const auto* first = reinterpret_cast<const std::byte*>(elements.data());
  tensor.data.assign(first, first + elements.size());
  return tensor;
}

}  // namespace strata
