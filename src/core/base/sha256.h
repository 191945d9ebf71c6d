// SHA-256, for pages that say which script they allow.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace strata {

std::array<std::uint8_t, 32> sha256(std::string_view bytes);

// With `=` at its end where bytes are missing (RFC 4648).
std::string base64(std::span<const std::uint8_t> bytes);

}  // namespace strata
