#include "cli/device_options.h"

#include <fmt/format.h>

#include "cli/command.h"
#include "options/options.h"

namespace strata::cli {

Result<std::vector<Device>> DeviceFiles::read() const {
  std::vector<Device> devices;
  for (const std::string& path : paths) {
    auto device = read_device_file(path);
    if (!device) return failure(device);
    devices.push_back(std::move(*device));
  }
  return devices;
}

Status read_device(const std::string& name, const DeviceFiles& files,
                   std::optional<Device>& device) {
  if (name.empty()) return {};
  const auto added = files.read();
  if (!added) return failure(added);
  auto found = of_option("--on:", find_devices(name, *added));
  if (!found) return failure(found);
  if (found->count > 1)
    return failure(
        Code::OptionValue, {.name = "--on"},
        fmt::format("--on {}: one device runs the network; write {}", name, found->device.name));
  device = std::move(found->device);
  return {};
}

}  // namespace strata::cli
