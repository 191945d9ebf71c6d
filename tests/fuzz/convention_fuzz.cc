// Any text, read as a counting convention, gives rules or one sentence.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "strata/cost/convention.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto convention =
      strata::parse_convention({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!convention && convention.error().message.empty()) std::abort();
  return 0;
}
