#include <fmt/format.h>

#include "read/registry.h"
#include "read/weights/formats.h"

namespace strata {

namespace weights {

namespace {

Status check_sums(const Weights& weights, const std::string& label) {
  std::uint64_t elements = 0, bytes = 0;
  for (const StoredWeight& weight : weights.tensors)
    if (__builtin_add_overflow(elements, weight.elements, &elements) ||
        __builtin_add_overflow(bytes, weight.bytes, &bytes) || elements >> 62 != 0)
      return failure(fmt::format("{}: its tensors together have 2^62 elements or more", label));
  return {};
}

}  // namespace

}  // namespace weights

Result<Weights> read_weights(std::string_view bytes, const std::string& label,
                             const ReadOptions& options) {
  for (const ModelFormat& format : model_formats()) {
    if (format.read_weights == nullptr || !format.recognise(bytes)) continue;
    auto read = format.read_weights(bytes, options);
    if (!read)
      return failure(coded(Code::FileBroken, {.file = label, .name = std::string(format.name)},
                           error_in(label, std::move(read.error()))));
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
      Code::FormatUnknown, {.file = label},
      fmt::format("{} is not a file of weights that strata reads (safetensors, a state dict of "
                  "PyTorch, GGUF)",
                  label));
}

Result<Weights> read_weights(const Source& source, const ReadOptions& options) {
  if (Status status = source.status(); !status) return failure(status);
  const std::string_view bytes = source.bytes();
  if (weights::looks_like_index(bytes)) return weights::read_index(bytes, source.word(), options);
  return read_weights(bytes, source.word(), options);
}

}  // namespace strata
