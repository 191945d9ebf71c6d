#include "base/name_table.h"

#include <sys/auxv.h>

namespace strata {

HashSeed process_seed() {
  static const HashSeed kSeed = [] {
    // Sixteen random bytes that the kernel gives every process.
    const auto* random = reinterpret_cast<const char*>(::getauxval(AT_RANDOM));
    if (random == nullptr) return HashSeed{0x9e3779b97f4a7c15u, 0xa0761d6478bd642fu};
    return HashSeed{detail::load_word(random) | 1, detail::load_word(random + 8) | 1};
  }();
  return kSeed;
}

}  // namespace strata
