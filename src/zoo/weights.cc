#include "strata/zoo/weights.h"

#include <memory>

#include <fmt/format.h>

#include "base/name_table.h"
#include "zoo/weight_roles.h"

namespace strata::zoo {

namespace {

struct Stream {
  Distribution from;
  std::uint64_t key = 0;
};

// The same in every process: of the name, or of the place of a tensor without one.
std::uint64_t key_of(const TensorData& data, std::size_t place, std::uint64_t seed) {
  const HashSeed fixed = {seed ^ 0x243f6a8885a308d3u, 0x13198a2e03707344u};
  return data.name.empty() ? hash_bytes(fmt::format("#{}", place), fixed)
                           : hash_bytes(data.name, fixed);
}

}  // namespace

FillElements random_weights(const Model& model, std::uint64_t seed) {
  auto streams = std::make_shared<std::unordered_map<const TensorData*, Stream>>();
  const Distributions known = distributions(model);
  for (std::size_t i = 0; i < model.stored.size(); ++i) {
    const TensorData& data = model.stored[i];
    const auto found = known.find(&data);
    (*streams)[&data] = {found == known.end() ? Distribution() : found->second,
                         key_of(data, i, seed)};
  }
  return [streams](const TensorData& data, std::int64_t first,
                   std::span<std::byte> chunk) -> Status {
    const auto found = streams->find(&data);
    if (found == streams->end())
      return failure(fmt::format("the stored tensor \"{}\" is of another model", data.name),
                     ErrorKind::Bug);
    if (!fill_random(found->second.from, found->second.key, data.dtype, first, chunk))
      return failure(fmt::format("the stored tensor \"{}\" is of {}, which has no random elements",
                                 data.name, name(data.dtype)));
    return {};
  };
}

}  // namespace strata::zoo
