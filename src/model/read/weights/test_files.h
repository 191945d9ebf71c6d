// Files of weights made byte by byte, for tests: also those that no library would write.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "read/zip/test_zip.h"

namespace strata::weights::test {

template <std::integral T>
std::string little_endian(T value) {
  return unzip::test::little(static_cast<std::uint64_t>(value), sizeof(T));
}

// A header with its true length, and this many bytes of data.
inline std::string safetensors(const std::string& header, std::size_t data) {
  return little_endian<std::uint64_t>(header.size()) + header + std::string(data, '\0');
}

// Parts that are stored as they are. `size` is what the directory says of the last one; -1: its
// own.
inline std::string zip(std::vector<unzip::test::ZipPart> parts, std::int64_t size = -1) {
  if (size >= 0) {
    parts.back().stated = static_cast<std::uint32_t>(size);
    parts.back().stated_twice = true;
  }
  return unzip::test::zipped(parts);
}

// ---- Pickles, in the operations that torch.save uses.

inline std::string text(const std::string& word) {
  return "X" + little_endian(static_cast<std::uint32_t>(word.size())) + word;
}
inline std::string number(std::int32_t value) { return "J" + little_endian(value); }
inline std::string global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}
inline std::string tuple(const std::vector<std::int32_t>& items) {
  std::string bytes = "(";
  for (const std::int32_t item : items) bytes += number(item);
  return bytes + "t";
}
inline std::string storage(const std::string& type, const std::string& key, std::int32_t elements) {
  return "(" + text("storage") + global("torch", type) + text(key) + text("cpu") +
         number(elements) + "tQ";
}
struct TensorPart {
  std::string type = "FloatStorage", key = "0";
  std::int32_t elements = 6, offset = 0;
  std::vector<std::int32_t> dims = {2, 3}, strides = {3, 1};
};
inline std::string tensor(const TensorPart& part) {
  return global("torch._utils", "_rebuild_tensor_v2") + "(" +
         storage(part.type, part.key, part.elements) + number(part.offset) + tuple(part.dims) +
         tuple(part.strides) + "\x89" + global("collections", "OrderedDict") + ")RtR";
}
inline std::string dict(const std::vector<std::pair<std::string, std::string>>& items) {
  std::string bytes = "}(";
  for (const auto& [key, value] : items) bytes += text(key) + value;
  return bytes + "u";
}
inline std::string pickle(const std::string& operations) { return "\x80\x02" + operations + "."; }

// The bytes that torch.save writes for a pickle and a storage "0" of this many bytes.
inline std::string state_dict(const std::string& operations, std::size_t bytes = 24) {
  return zip({{"archive/data.pkl", pickle(operations)},
              {"archive/data/0", std::string(bytes, '\0')},
              {"archive/version", "3\n"}});
}

// ---- GGUF.

inline std::string gguf_text(const std::string& word) {
  return little_endian<std::uint64_t>(word.size()) + word;
}
inline std::string gguf_tensor(const std::string& name, const std::vector<std::uint64_t>& dims,
                               std::uint32_t type, std::uint64_t offset) {
  std::string bytes = gguf_text(name) + little_endian(static_cast<std::uint32_t>(dims.size()));
  for (const std::uint64_t size : dims) bytes += little_endian(size);
  return bytes + little_endian(type) + little_endian(offset);
}
inline std::string gguf_number(const std::string& key, std::uint32_t value) {
  return gguf_text(key) + little_endian(std::uint32_t{4}) + little_endian(value);
}
inline std::string gguf(const std::vector<std::string>& properties,
                        const std::vector<std::string>& tensors, std::size_t data,
                        std::uint32_t version = 3) {
  std::string bytes = "GGUF" + little_endian(version) +
                      little_endian<std::uint64_t>(tensors.size()) +
                      little_endian<std::uint64_t>(properties.size());
  for (const std::string& one : properties) bytes += one;
  for (const std::string& one : tensors) bytes += one;
  bytes.resize((bytes.size() + 31) / 32 * 32, '\0');
  return bytes + std::string(data, '\0');
}

}  // namespace strata::weights::test
