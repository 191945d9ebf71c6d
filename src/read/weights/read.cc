#include <fmt/format.h>

#include "base/mapped_file.h"
#include "read/weights/formats.h"

namespace strata {

namespace weights {

namespace {

constexpr Format kFormats[] = {
    {"GGUF", looks_like_gguf, read_gguf},
    {"safetensors", looks_like_safetensors, read_safetensors},
    {"PyTorch state dict", looks_like_state_dict, read_state_dict},
    {"PyTorch state dict", looks_like_old_state_dict, read_old_state_dict},
};

Status check_sums(const Weights& weights, const std::string& label) {
  std::uint64_t elements = 0, bytes = 0;
  for (const StoredWeight& weight : weights.tensors)
    if (__builtin_add_overflow(elements, weight.elements, &elements) ||
        __builtin_add_overflow(bytes, weight.bytes, &bytes) || elements >> 62 != 0)
      return failure(fmt::format("{}: its tensors together have 2^62 elements or more", label));
  return {};
}

}  // namespace

std::span<const Format> formats() { return kFormats; }

}  // namespace weights

bool is_weights(std::string_view bytes) {
  for (const weights::Format& format : weights::formats())
    if (format.recognise(bytes)) return true;
  return weights::looks_like_index(bytes);
}

bool is_weights_file(const std::string& path) {
  const auto file = MappedFile::open(path);
  return file && is_weights((*file)->bytes());
}

Result<Weights> read_weights(std::string_view bytes, const std::string& label,
                             const ReadOptions& options) {
  for (const weights::Format& format : weights::formats()) {
    if (!format.recognise(bytes)) continue;
    auto read = format.read(bytes, options);
    if (!read) return failure(fmt::format("{}: {}", label, read.error().message));
    if (Status status = weights::check_sums(*read, label); !status) return failure(status);
    read->path = label;
    read->format = format.name;
    read->files = {label};
    read->file_bytes = bytes.size();
    for (StoredWeight& weight : read->tensors)
      weight.statistics = weights::is_statistics(weight.name);
    return read;
  }
  return failure(
      fmt::format("{} is no file of weights that strata reads (safetensors, a state dict of "
                  "PyTorch, GGUF)",
                  label));
}

Result<Weights> read_weights(const std::string& path, const ReadOptions& options) {
  const auto file = MappedFile::open(path);
  if (!file) return failure(file);
  const std::string_view bytes = (*file)->bytes();
  if (weights::looks_like_index(bytes)) return weights::read_index(bytes, path, options);
  return read_weights(bytes, path, options);
}

}  // namespace strata
