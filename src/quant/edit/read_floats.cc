#include "edit/read_floats.h"

#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "base/half.h"
#include "base/in_quotes.h"
#include "base/mapped_file.h"

namespace strata {

namespace {

using Store = TensorData::Store;

template <class T>
T load(const std::byte* at) {
  T item;
  std::memcpy(&item, at, sizeof item);
  return item;
}

std::vector<float> as_floats(DType type, std::span<const std::byte> bytes, std::size_t count) {
  std::vector<float> out(count);
  switch (type) {
    case DType::F32:
      if (count > 0) std::memcpy(out.data(), bytes.data(), count * sizeof(float));
      break;
    case DType::F64:
      for (std::size_t i = 0; i < count; ++i)
        out[i] = static_cast<float>(load<double>(bytes.data() + 8 * i));
      break;
    case DType::F16:
      for (std::size_t i = 0; i < count; ++i)
        out[i] = half_value(load<std::uint16_t>(bytes.data() + 2 * i));
      break;
    default:  // bf16
      for (std::size_t i = 0; i < count; ++i)
        out[i] = bfloat_value(load<std::uint16_t>(bytes.data() + 2 * i));
  }
  return out;
}

// The bytes in another file; `file` receives its mapping.
Result<std::string_view> outside_bytes(const Model& model, const TensorData& data,
                                       std::size_t needed,
                                       std::shared_ptr<const MappedFile>& file) {
  if (model.path.empty())
    return failure(
        fmt::format("the stored tensor {} is in {}, which was not looked for when the "
                    "model was read from memory",
                    in_quotes(data.name), in_quotes(data.location)));
  const auto folder = std::filesystem::path(model.path).parent_path();
  auto opened = MappedFile::open((folder / data.location).string());
  if (!opened)
    return failure(fmt::format("the stored tensor {} is needed: {}", in_quotes(data.name),
                               opened.error().message));
  file = *opened;
  const std::string_view all = file->bytes();
  const auto offset = static_cast<std::uint64_t>(data.offset);
  if (offset > all.size() || all.size() - offset < needed)
    return failure(fmt::format("the stored tensor {} needs {} bytes from {} on of {}, which has {}",
                               in_quotes(data.name), needed, offset, in_quotes(data.location),
                               all.size()));
  return all.substr(static_cast<std::size_t>(offset), needed);
}

}  // namespace

Result<std::vector<float>> read_floats(const Model& model, const TensorData& data,
                                       const FillElements& fill) {
  const bool known = data.dtype == DType::F32 || data.dtype == DType::F64 ||
                     data.dtype == DType::F16 || data.dtype == DType::BF16;
  if (!known)
    return failure(fmt::format("the stored tensor {} is of {}: its elements are not floats",
                               in_quotes(data.name), name_of(data.dtype)));
  const Expr elements = data.elements();
  if (!elements.is_number() || elements.value() < 0)
    return failure(
        fmt::format("the stored tensor {} has a shape that overflows", in_quotes(data.name)));
  const auto count = static_cast<std::size_t>(elements.value());
  const std::size_t needed = count * static_cast<std::size_t>(bits(data.dtype)) / 8;
  const auto checked = [&](std::string_view bytes) -> Result<std::vector<float>> {
    if (bytes.size() != needed)
      return failure(fmt::format("the stored tensor {} needs {} bytes, but has {}",
                                 in_quotes(data.name), needed, bytes.size()));
    return as_floats(data.dtype, std::as_bytes(std::span(bytes)), count);
  };
  switch (data.store) {
    case Store::Raw:
      return checked(data.bytes);
    case Store::External: {
      std::shared_ptr<const MappedFile> file;
      const auto bytes = outside_bytes(model, data, needed, file);
      if (!bytes) return failure(bytes);
      return checked(*bytes);
    }
    case Store::Encoded: {
      if (data.encoded.encoding == nullptr) return checked({});
      const auto bytes = data.encoded.encoding->elements(data);
      if (!bytes) return failure(bytes);
      return checked(*bytes);
    }
    case Store::Absent: {
      if (!fill)
        return failure(
            fmt::format("the stored tensor {} has no elements: the model was stripped "
                        "of its weights",
                        in_quotes(data.name)));
      std::vector<std::byte> bytes(needed);
      if (auto status = fill(data, 0, bytes); !status) return failure(status);
      return as_floats(data.dtype, bytes, count);
    }
    case Store::Sparse:
      break;
  }
  return failure(fmt::format("the stored tensor {} is sparse, which strata does not unpack",
                             in_quotes(data.name)));
}

}  // namespace strata
