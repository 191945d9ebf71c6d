// Devices and execution providers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "api.h"
#include "strata/engine/plugin.h"

namespace strata::ort {

using ProviderOptions = std::map<std::string, std::string>;

// Adds the provider for `device` (`cpu`, `cuda:0`) or, if it is given, the one called
// `provider` (`tensorrt`, `openvino`). Throws Failure that says what is missing. A precision is
// passed on to providers that can compute in another than the model's. Returns whether the provider
// takes the precision.
bool add_provider(Ort::SessionOptions& session, const std::string& device,
                  const std::string& provider, const std::string& precision,
                  const ProviderOptions& options);

struct Device {
  std::string name, note;
};
// The devices on which a session can really be opened.
std::vector<Device> working_devices();

}  // namespace strata::ort
