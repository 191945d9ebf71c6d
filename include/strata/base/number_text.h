// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "strata/base/expr.h"

namespace strata {

// `1,234,567`
std::string grouped(std::int64_t number);
// Four significant digits with a decimal prefix: `300.8 M`, `3.505 M`, `864`.
std::string human(double number);
// With a binary prefix: `1.5 KiB`, `13.38 MiB`, `512 B`.
std::string human_bytes(double bytes);
// Energy: `168.7 µJ` from picojoules.
std::string human_picojoules(double picojoules);
// Time: `1.234 ms` from seconds.
std::string human_seconds(double seconds);

enum class NumberStyle : std::uint8_t { Plain, Bytes, Picojoules };
// A number or a formula: `300.8 M·N`, `2.1 G·N·S + 37.7 M·N·S^2`; with `exact`
// every digit is kept: `300,774,272·N`. Unknown is `?`.
std::string expr_text(const Expr& expr, NumberStyle style, bool exact);

// Returns the number of terminal columns that a text takes: two for a wide character, none for a
// combining accent.
std::size_t display_width(std::string_view text);

}  // namespace strata
