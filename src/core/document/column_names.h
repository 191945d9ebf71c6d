// Names of the parts of an estimate, beside its column.
#pragma once

#include <string>
#include <string_view>

namespace strata {

// A word goes before the unit at the end of a name: `median_s` and `low` make `median_low_s`.
std::string with_word(std::string_view name, std::string_view word);

}  // namespace strata
