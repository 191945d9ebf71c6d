// Any text, read as a saved profile, gives a profile that can be saved and read again, or one
// sentence.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "strata/profile/profile.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto profile =
      strata::profile_from_json({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!profile) {
    if (profile.error().message.empty()) std::abort();
    return 0;
  }
  // A file may name its symbols so that formulas can be read in two ways.
  if (!profile->symbols.empty()) return 0;
  const std::string json = strata::profile_to_json(*profile);
  const auto again = strata::profile_from_json(json, "fuzz");
  if (!again || strata::profile_to_json(*again) != json) std::abort();
  return 0;
}
