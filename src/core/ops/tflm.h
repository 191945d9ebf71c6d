// The kernels of TensorFlow Lite for Microcontrollers: its reference kernels, as the Python
// package tflite-micro of October 2026 has them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ops/node_view.h"

namespace strata {

// The metadata in which a file may state the offset of each tensor, and the offset of those that
// the planner places.
constexpr std::string_view kOfflinePlan = "OfflineMemoryAllocation";
constexpr std::int32_t kPlannedLater = -1;

// True if it can run this builtin operator.
bool has_tflm_kernel(std::string_view op);

// The scratch buffers that a kernel asks for. They are alive while it runs.
struct TflmScratch {
  std::vector<std::int64_t> bytes;
  bool is_known = true;
};
TflmScratch tflm_scratch(const NodeView& node);

// True if the operator's outputs are handles, for which no memory is planned.
bool makes_handles(const NodeView& node);

}  // namespace strata
