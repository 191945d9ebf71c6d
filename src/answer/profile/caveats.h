// Sentences about how far the numbers of a profile can be trusted. They follow from its facts; the
// footer of a table and the notes of a document have the same ones.
#pragma once

#include <string>
#include <vector>

#include "strata/profile/profile.h"

namespace strata {

// An interruption, other work on the machine, nodes without a time; in the order of the footer.
std::vector<std::string> timing_caveats(const TimingFacts& timing);
// The operators without a count; empty if there are none.
std::string uncounted_caveat(const Profile& profile);
// All of the above.
std::vector<std::string> caveats(const Profile& profile);

}  // namespace strata
