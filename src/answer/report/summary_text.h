// The last lines below a table of layers.
#pragma once

#include <string>

#include "strata/profile/profile.h"

namespace strata {

// The figures that people look for first; they stand last, where the terminal still shows them.
// Lines, not broken to fit; empty if only some of the layers are counted.
std::string summary_text(const Profile& profile, bool exact);

}  // namespace strata
