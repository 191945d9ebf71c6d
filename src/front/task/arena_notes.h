// A network's needs on a microcontroller, in sentences.
#pragma once

#include <string_view>

#include "strata/base/result.h"
#include "strata/device/device.h"
#include "strata/graph/graph.h"

namespace strata {

// Plans the arena of TensorFlow Lite for Microcontrollers and adds to the notes what it takes,
// which layer decides that, and what would lower it. With a device, the first sentence says whether
// the network fits in its memories, and the last how long one run is likely to take. `file` is that
// of a TensorFlow Lite model; the arena of another is estimated.
Status add_arena_notes(Model& model, std::string_view file, const Device* device = nullptr);

}  // namespace strata
