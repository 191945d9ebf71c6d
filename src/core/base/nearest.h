// "Did you mean": the names that are nearest to a mistyped word.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The least number of insertions, deletions, replacements and exchanges of neighbours that turn one
// word into the other (Damerau and Levenshtein). Bytes count, not letters.
std::size_t edit_distance(std::string_view a, std::string_view b);

// At most three of the names, the nearest first: those that contain the word, and those that differ
// in at most a third of it. Case does not count.
std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& names);

// The names as part of a sentence, ` (did you mean stat or sweep?)`; empty if no name is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& names);

}  // namespace strata
