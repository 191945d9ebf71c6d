#include "edit/shared_weights.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/in_quotes.h"

namespace strata {

namespace {

constexpr std::size_t kLarge = 4096;  // bytes; smaller tensors are written into the model

using Store = TensorData::Store;

// 0: not known, or not a whole number of bytes.
std::size_t size_of(const TensorData& data) {
  const Expr elements = data.elements();
  if (!elements.is_number() || elements.value() < 0 || bits(data.dtype) % 8 != 0) return 0;
  return static_cast<std::size_t>(elements.value() * bits(data.dtype) / 8);
}

}  // namespace

Result<std::string_view> SharedWeights::elements_of(const TensorData& data) {
  const std::size_t size = size_of(data);
  if (data.store == Store::Raw) return data.bytes;
  if (data.store == Store::Absent) {
    const auto [at, added] = filled_.try_emplace(std::string(data.name));
    if (!added) return at->second;
    at->second.resize(size);
    const std::span<char> room(at->second);
    if (auto status = fill_(data, 0, std::as_writable_bytes(room)); !status) return failure(status);
    return at->second;
  }
  auto& file = files_[std::string(data.location)];
  if (!file) {
    const auto folder = std::filesystem::path(original_.path).parent_path();
    auto opened = MappedFile::open((folder / data.location).string());
    if (!opened)
      return failure(fmt::format("the stored tensor {} is needed: {}", in_quotes(data.name),
                                 opened.error().message));
    file = std::move(*opened);
  }
  const std::string_view all = file->bytes();
  const auto offset = static_cast<std::uint64_t>(data.offset);
  if (offset > all.size() || all.size() - offset < size)
    return failure(fmt::format("the stored tensor {} needs {} bytes from {} on of {}, which has {}",
                               in_quotes(data.name), size, offset, in_quotes(data.location),
                               all.size()));
  return all.substr(static_cast<std::size_t>(offset), size);
}

Result<SharedModel> SharedWeights::write(Model& changed) {
  SharedModel out;
  for (Graph& graph : changed.graphs)
    for (Tensor& tensor : graph.tensors) {
      if (tensor.data == nullptr || tensor.role != Role::Initializer) continue;
      const TensorData& data = *tensor.data;
      const bool at_hand = data.store == Store::Raw || data.store == Store::External ||
                           (data.store == Store::Absent && fill_);
      if (!at_hand || (size_of(data) < kLarge && data.store != Store::External)) continue;
      auto elements = elements_of(data);
      if (!elements) return failure(elements);
      TensorData& outside = changed.stored.emplace_back(data);
      std::string location = fmt::format("strata-{}", out.stored.size());
      outside.store = Store::External;
      outside.bytes = {};
      outside.location = changed.keep(location);
      outside.offset = 0;
      tensor.data = &outside;
      out.stored.push_back({std::move(location), *elements});
    }
  WriteOptions write;
  write.fill = fill_;
  write.elsewhere = WriteOptions::Elsewhere::Refer;
  auto bytes = onnx_bytes(changed, write);
  if (!bytes) return failure(bytes);
  out.model = std::move(*bytes);
  return out;
}

}  // namespace strata
