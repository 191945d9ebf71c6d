// Devices as documents: the list of them, and every number of one.
#pragma once

#include <span>
#include <string>

#include "strata/device/device.h"
#include "strata/document/document.h"

namespace strata {

// One row for each device.
Document devices_document(std::span<const Device> devices);
// One row for each number, with its source.
Document device_document(const Device& device);

}  // namespace strata
