// Any bytes are either a device, whose numbers are finite and above 0, or a sentence.
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "strata/device/device.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto device = strata::parse_device(text, "fuzz", "fuzz.toml");
  if (!device) return device.error().message.empty() ? (std::abort(), 0) : 0;
  for (const strata::Peak& peak : device->peaks)
    if (!(peak.per_second.value > 0) || !std::isfinite(peak.per_second.value)) std::abort();
  (void)strata::find_devices(text.substr(0, 64), {*device});
  return 0;
}
