#include "calibrate/sketch_parts.h"

#include <algorithm>
#include <vector>

namespace strata {

namespace {

// With fewer elements, counting is faster than waking another thread and merging its counts.
constexpr std::size_t kMinPart = 32768;

}  // namespace

Status add_in_parts(std::span<Sketch> sketches, DType type, std::span<const std::byte> elements,
                    std::int64_t inner, const RunParts& run) {
  const std::size_t size = static_cast<std::size_t>(bits(type)) / 8;
  const std::size_t count = size != 0 ? elements.size() / size : 0;
  const std::size_t parts =
      sketches[0].channels() != 0 ? 1 : std::min(sketches.size(), count / kMinPart);
  if (parts < 2) return sketches[0].add(type, elements, inner);

  const std::size_t part_bytes = (count + parts - 1) / parts * size;
  std::vector<Status> results(parts);
  run(parts, [&](std::size_t i) {
    const auto part = elements.subspan(i * part_bytes);
    results[i] = sketches[i].add(type, part.first(std::min(part_bytes, part.size())));
  });
  for (const Status& result : results)
    if (!result) return result;
  return {};
}

}  // namespace strata
