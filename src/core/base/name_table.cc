#include "base/name_table.h"

#include "base/system_calls.h"
#include "strata/base/text_map.h"

namespace strata {

HashSeed process_seed() {
  static const HashSeed kSeed = [] {
    const auto [first, second] = system_calls::random_words();
    return HashSeed{first | 1, second | 1};
  }();
  return kSeed;
}

std::size_t TextHash::operator()(std::string_view text) const {
  return hash_bytes(text, process_seed());
}

std::size_t NumberHash::operator()(std::uint64_t number) const {
  const HashSeed seed = process_seed();
  return detail::mix(number ^ seed.a, seed.b);
}

}  // namespace strata
