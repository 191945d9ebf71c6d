// The memory part of a profile: the peak of the activations and an arena plan.
#pragma once

#include "profile/rows.h"
#include "strata/profile/profile.h"

namespace strata {

Status add_memory(Profile& profile, const Analysis& analysis, bool with_arena);

}  // namespace strata
