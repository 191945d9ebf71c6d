#include "read/ncnn/stored.h"

#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "base/mapped_file.h"

namespace strata::ncnn {

namespace {

constexpr std::string_view kEnding = ".param", kOther = ".bin";
constexpr std::uint32_t kHalves = 0x01306B47, kBytes = 0x000D4B38, kPlain = 0x0002C056;
constexpr std::uint64_t kTableBytes = 256 * sizeof(float);

std::uint64_t in_fours(std::uint64_t bytes) { return (bytes + 3) / 4 * 4; }

// The bytes that a tensor takes, with its tag. Tensors are at least a byte each, so a place beyond
// the file stays there.
std::uint64_t size_of(const Stored& stored, std::string_view bytes, std::uint64_t at, DType& type) {
  const auto count = static_cast<std::uint64_t>(stored.elements);
  type = DType::F32;
  if (!stored.has_tag) return count * sizeof(float);
  std::uint32_t tag = 0;
  if (at + sizeof tag <= bytes.size()) std::memcpy(&tag, bytes.data() + at, sizeof tag);
  if (tag == kHalves) {
    type = DType::F16;
    return sizeof tag + in_fours(count * 2);
  }
  if (tag == kBytes) {
    type = DType::I8;
    return sizeof tag + in_fours(count);
  }
  if (tag == 0 || tag == kPlain) return sizeof tag + count * sizeof(float);
  // A table of 256 floats, and the places in it.
  return sizeof tag + kTableBytes + in_fours(count);
}

}  // namespace

void read_stored(Loading& loading, const std::string& path) {
  if (!path.ends_with(kEnding) || loading.stored.empty()) return;
  const std::string other = path.substr(0, path.size() - kEnding.size()) + std::string(kOther);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(other, ignored)) return;
  const auto file = MappedFile::open(other);
  if (!file) return;
  const std::string_view bytes = (*file)->bytes();
  std::vector<DType> types;
  std::uint64_t at = 0;
  for (const Stored& stored : loading.stored) {
    DType type = DType::F32;
    at += size_of(stored, bytes, at, type);
    types.push_back(type);
    if (at > bytes.size()) break;
  }
  if (at != bytes.size()) {
    loading.note(
        fmt::format("the .bin file beside it has {} bytes and does not fit these layers, so the "
                    "weights are taken to be float32",
                    bytes.size()));
    return;
  }
  for (std::size_t i = 0; i < types.size(); ++i)
    if (loading.stored[i].data != nullptr)
      const_cast<TensorData*>(loading.stored[i].data)->dtype = types[i];  // NOLINT: ours
}

}  // namespace strata::ncnn
