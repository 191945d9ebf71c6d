// Any bytes, read as a safetensors file, give its tensors, each within the file, or one sentence.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "check_weights.h"
#include "read/weights/formats.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (strata::weights::looks_like_safetensors(bytes))
    strata::check_weights(strata::weights::read_safetensors(bytes, {}), size);
  return 0;
}
