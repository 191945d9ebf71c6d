// Colours of a terminal: the eight that every one has, which its user has chosen to suit the
// background. Only what is written to a terminal passes through here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "strata/document/cell.h"

namespace strata {

enum class Paint : std::uint8_t { None, Bold, Dim, Green, Red, Cyan };

// The text between the sequences that turn the colour on and off; of no text nothing.
std::string painted(std::string_view text, Paint paint);
// Green for what is better, red for what is worse or refused, dim for a zero.
Paint paint_of(const Cell& cell);
Paint paint_of(Meaning meaning);

}  // namespace strata
