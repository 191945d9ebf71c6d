// Numbers with a unit, as people type them: `100Mbps`, `12.5MB/s`, `10ms`, `50GFLOP/s`,
// `40/s`, `2GiB`, `1%`.
#pragma once

#include <cstdint>
#include <string_view>

#include "strata/base/result.h"

namespace strata {

enum class Quantity : std::uint8_t {
  Seconds,         // h, min, s, ms, us, µs, ns
  TimeLimit,       // the same, above zero; a bare number is seconds
  BytesPerSecond,  // bit/s and bps (8 bits are a byte), B/s; k, M, G, T before them
  FlopsPerSecond,  // FLOP/s; k, M, G, T before it
  PerSecond,       // /s and /min: how often something happens
  Bytes,           // B; with k, M, G, T, or Ki, Mi, Gi, Ti (powers of 1024)
  Share,           // %: 0.01 from `1%`
};

// In the quantity's own unit. Prefixes are powers of 1000, and case counts: `b` is bit
// and `B` is byte. Negative and infinite numbers, and those that lack a unit, are errors that
// say what is accepted.
Result<double> parse_quantity(std::string_view text, Quantity quantity);

}  // namespace strata
