#include "read/openvino/constant.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/in_quotes.h"

namespace strata::openvino {

namespace {

// Shapes and settings depend on integers, or on a few floats.
constexpr std::uint64_t kMostIntegerBytes = 4096 * 8, kMostFloatBytes = 64 * 8;

// True if some elements differ. Equal ones, such as biases that are all zeros, are equal by chance.
// Looks at the start alone.
bool has_own_elements(std::string_view bytes, DType dtype) {
  const auto width = std::max<std::size_t>(1, static_cast<std::size_t>(bits(dtype)) / 8);
  constexpr std::size_t kLookedAt = std::size_t{256} << 10;
  const std::string_view start = bytes.substr(0, kLookedAt);
  return start.size() > width && start.substr(width) != start.substr(0, start.size() - width);
}

bool is_same(const TensorData& a, const TensorData& b) {
  return a.dtype == b.dtype &&
         std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end());
}

}  // namespace

const TensorData* constant_of(Loading& loading, const Layer& layer) {
  const auto damaged = [&](std::string_view what) {
    return Broken{fmt::format("it is damaged: constant {} {}", in_quotes(layer.name), what)};
  };
  if (layer.outputs.empty()) throw damaged("has no output");
  const Port& port = layer.outputs[0];
  TensorData data;
  data.name = layer.name;
  const std::string_view type = layer.text("element_type");
  data.dtype = type.empty() ? port.dtype : dtype_of(type);
  const std::vector<std::int64_t> dims =
      layer.text("shape").empty() ? port.dims : layer.wholes("shape");
  for (const std::int64_t size : dims)
    if (size < 0) throw damaged("has an open size");
  data.dims = loading.model.keep(std::span<const std::int64_t>(dims));
  const std::int64_t offset = layer.whole("offset", 0), size = layer.whole("size", 0);
  if (offset < 0 || size < 0) throw damaged("is at a place below 0");
  const auto needed = bytes(data.elements(), data.dtype).number();
  // Types that strata has no name for have a size, but no width.
  if (bits(data.dtype) != 0 && (!needed || *needed > size))
    throw damaged(fmt::format("has {} bytes, which are not enough for its shape", size));
  data.location = loading.weights_name;
  data.offset = offset;
  data.store = TensorData::Store::External;
  if (loading.weights == nullptr || data.dtype == DType::String)
    return &loading.model.stored.emplace_back(data);
  const std::string_view file = loading.weights->bytes();
  const auto start = static_cast<std::uint64_t>(offset), length = static_cast<std::uint64_t>(size);
  if (start > file.size() || length > file.size() - start)
    throw damaged(fmt::format("lies outside of {}, which has {} bytes",
                              in_quotes(loading.weights_name), file.size()));
  auto& there = loading.by_offset[start];
  // Several layers may read one weight.
  const auto known = std::find_if(there.begin(), there.end(),
                                  [&](const TensorData* a) { return is_same(*a, data); });
  if (known != there.end() && has_own_elements(file.substr(start, length), data.dtype))
    return *known;
  if (bits(data.dtype) != 0 &&
      length <= (is_float(data.dtype) ? kMostFloatBytes : kMostIntegerBytes)) {
    data.store = TensorData::Store::Raw;
    data.bytes = loading.model.keep(file.substr(start, static_cast<std::size_t>(*needed)));
  }
  const TensorData* kept = &loading.model.stored.emplace_back(data);
  // More shapes than these are no longer compared.
  if (constexpr std::size_t kShapes = 8; known == there.end() && there.size() < kShapes)
    there.push_back(kept);
  return kept;
}

}  // namespace strata::openvino
