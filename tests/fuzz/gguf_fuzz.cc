// Any bytes, read as a GGUF file, give its tensors, each within the file, or one sentence.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "check_weights.h"
#include "read/weights/formats.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (strata::weights::looks_like_gguf(bytes))
    strata::check_weights(strata::weights::read_gguf(bytes, {}), size);
  return 0;
}
