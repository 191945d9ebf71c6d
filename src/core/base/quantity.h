// Numbers with a unit, as people type them: `100mbps`, `12.5MB/s`, `10ms`, `50GFLOPS`, `0.5TOPS`,
// `40/s`, `2GiB`, `8M`, `1%`.
#pragma once

#include <cstdint>
#include <string_view>

#include "strata/base/result.h"

namespace strata {

enum class Quantity : std::uint8_t {
  Seconds,         // h, min, s, ms, us, µs, ns; a bare number is seconds
  TimeLimit,       // the same, above zero
  BytesPerSecond,  // bit/s and bps (8 bits are a byte), B/s and Bps; with a prefix
  FlopsPerSecond,  // FLOP/s, FLOPS, OP/s, OPS; with a prefix
  PerSecond,       // /s, /min, Hz, fps: how often something happens
  Bytes,           // B; with a prefix, after which B may be left out
  Share,           // %: 0.01 from `1%`
};

// In the quantity's own unit. Prefixes are k, M, G and T for powers of 1000, and Ki, Mi, Gi and Ti
// for those of 1024. Case does not count, except that of a data rate `b` is a bit and `B` a byte;
// what can be read in two ways (`5m`, `100MBPS`, `100mb/s`, `2Gb`) is an error. So are negative and
// infinite numbers, and those that lack a unit; the sentence says what is accepted.
Result<double> parse_quantity(std::string_view text, Quantity quantity);

}  // namespace strata
