// The memory part of a profile: the peak of the activations, an arena plan, and a
// run on a device.
#pragma once

#include "profile/rows.h"
#include "strata/profile/profile.h"

namespace strata {

inline constexpr std::string_view kPytorchCuda = "pytorch-cuda";
inline constexpr std::string_view kArena = "arena";

// Fills in Analysis::device or Analysis::alive, as --device-memory asks.
Status find_device_memory(Analysis& analysis, std::string_view device_memory);

Status add_memory(Profile& profile, const Analysis& analysis, const ProfileOptions& options);

}  // namespace strata
