#include "data/npz_write.h"

#include <cstring>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "data/npz.h"

namespace strata {

namespace {

// numpy's letters for kind and size; nullptr for types that numpy does not have.
const char* descr(DType type) {
  switch (type) {
    case DType::F32:
      return "<f4";
    case DType::F64:
      return "<f8";
    case DType::F16:
      return "<f2";
    case DType::U8:
      return "|u1";
    case DType::I8:
      return "|i1";
    case DType::U16:
      return "<u2";
    case DType::I16:
      return "<i2";
    case DType::U32:
      return "<u4";
    case DType::I32:
      return "<i4";
    case DType::U64:
      return "<u8";
    case DType::I64:
      return "<i8";
    case DType::Bool:
      return "|b1";
    case DType::C64:
      return "<c8";
    case DType::C128:
      return "<c16";
    default:
      return nullptr;
  }
}

}  // namespace

Result<std::string> npy_bytes(const HostTensor& tensor) {
  const char* type = descr(tensor.dtype);
  if (type == nullptr)
    return failure(fmt::format("\"{}\" is of type {}, which .npz files do not have", tensor.name,
                               name_of(tensor.dtype)));
  // `(3,)` is a list of one; `()` a scalar.
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", type,
                  fmt::join(tensor.dims, ", "), tensor.dims.size() == 1 ? "," : "");
  constexpr std::size_t kBefore = 10, kAlign = 64;  // elements start at a multiple of 64
  while ((kBefore + header.size() + 1) % kAlign != 0) header += ' ';
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size());
  return bytes;
}

Status write_npz(const std::string& path, std::span<const HostTensor> tensors) {
  std::vector<std::string> arrays;  // must outlive the archive, which reads them when it is closed
  for (const HostTensor& tensor : tensors) {
    auto bytes = npy_bytes(tensor);
    if (!bytes) return failure(bytes);
    arrays.push_back(std::move(*bytes));
  }
  if (Status opened = libzip.open(); !opened)
    return failure(fmt::format("cannot write {}: {}", path, opened.error().message));
  int code = 0;
  ZipArchive archive(zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
  if (archive == nullptr) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string why = zip_error_strerror(&error);
    zip_error_fini(&error);
    return failure(fmt::format("cannot write {}: {}", path, why));
  }
  const auto problem = [&] {
    return failure(fmt::format("cannot write {}: {}", path, zip_strerror(archive.get())));
  };
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    zip_source_t* source = zip_source_buffer(archive.get(), arrays[i].data(), arrays[i].size(), 0);
    if (source == nullptr) return problem();
    const zip_int64_t index =
        zip_file_add(archive.get(), (tensors[i].name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      return problem();
    }
    zip_set_file_compression(archive.get(), static_cast<std::uint64_t>(index), ZIP_CM_STORE, 0);
  }
  if (zip_close(archive.get()) != 0) return problem();
  static_cast<void>(archive.release());  // closed
  return {};
}

}  // namespace strata
