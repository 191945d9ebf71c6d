// Any bytes, read as a file of torch.save, new or old, and as a pickle, give tensors or one
// sentence.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "check_weights.h"
#include "read/weights/formats.h"
#include "read/weights/pickle.h"
#include "read/weights/pickled_tensors.h"

namespace {

// The pickle alone, as if the archive around it had every storage.
void read_alone(std::string_view bytes) {
  const auto pickle = strata::weights::read_pickle(bytes, {.values = 20'000});
  if (!pickle) {
    if (pickle.error().message.empty()) std::abort();
    return;
  }
  for (const strata::weights::PickledValue& value : pickle->values)
    for (const strata::weights::ValueId item : value.items)
      if (item >= pickle->values.size()) std::abort();
  static constexpr std::uint64_t kBytes = 1 << 20;
  strata::check_weights(
      strata::weights::pickled_weights(*pickle,
                                       [](const strata::weights::PickledStorage&)
                                           -> strata::Result<std::uint64_t> { return kBytes; }),
      kBytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const strata::ReadOptions options{.limit = 0.01};
  if (strata::weights::looks_like_state_dict(bytes))
    strata::check_weights(strata::weights::read_state_dict(bytes, options), size);
  else if (strata::weights::looks_like_old_state_dict(bytes))
    strata::check_weights(strata::weights::read_old_state_dict(bytes, options), size);
  else
    read_alone(bytes);
  return 0;
}
