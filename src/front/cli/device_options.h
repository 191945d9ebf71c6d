// The option of commands that name devices.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strata/device/device.h"

namespace strata::cli {

// `--device-file`: devices that the user describes.
struct DeviceFiles {
  std::vector<std::string> paths;
  Result<std::vector<Device>> read() const;
};

// The one device that `--on NAME` says; `device` stays as it is if the name is empty.
Status read_device(const std::string& name, const DeviceFiles& files,
                   std::optional<Device>& device);

}  // namespace strata::cli
