// The machine's two limits: arithmetic from registers, and bytes from memory. They help to explain
// a layer's time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/result.h"

namespace strata {

struct Roofline {
  int threads = 1;
  std::string cpu;                   // the processor it was measured on
  double fp32_flops = 0;             // FLOP/s; a fused multiply-add is two
  std::optional<double> bf16_flops;  // set if the processor has instructions for it
  std::optional<double> int8_ops;
  double bytes_per_second = 0;  // a triad over arrays far larger than the caches
  std::string kernel;           // what ran: `avx512f`
  std::int64_t made = 0;        // when, in seconds since 1970; 0: not known
  double waited = -1;           // share of its threads' time that others took; -1: not known
  std::string note;             // what a reader should know about it; not stored in the file

  // Other work ran beside it, or that is not known: the figures may be too low.
  bool made_under_load() const;

  // The most FLOP/s that work of this intensity (FLOPs per byte) can reach.
  double attainable(double intensity) const;
};

// Measures for about half a second with this many threads (0: one per core).
Roofline measure_roofline(int threads);

// Returns the roofline from a cache file per processor and thread count (in XDG_CACHE_HOME or
// ~/.cache). It is measured again if the cached one is older than 30 days or was made under load;
// `note` then says so. A file that cannot be read or written is ignored. `now` is in seconds since
// 1970; 0 means the current time.
Roofline cached_roofline(int threads, const std::string& folder = "", std::int64_t now = 0);

std::string roofline_to_json(const Roofline& roofline);
Result<Roofline> roofline_from_json(std::string_view text);

}  // namespace strata
