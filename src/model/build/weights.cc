#include "strata/build/weights.h"

#include <memory>

#include <fmt/format.h>

#include "base/name_table.h"
#include "build/weight_roles.h"

namespace strata::build {

namespace {

struct Stream {
  Distribution from;
  std::uint64_t key = 0;
};

// The key is the same in every process: it depends on the name, or on the position of a tensor
// without a name.
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
                                 data.name, name_of(data.dtype)));
    return {};
  };
}

}  // namespace strata::build
