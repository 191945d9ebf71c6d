// Latencies over the speed of the link: at 1, 2, 5, 10 Mbps, … 10 Gbps, and where two choices take
// equally long in between. From one point to the next, the best choice stays the same.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "strata/profile/split.h"

namespace strata {

struct CurvePoint {
  double link_bytes_per_second = 0;
  double best_seconds = 0;
  std::size_t piece = 0;  // index into Split::pieces
  bool is_crossing =
      false;  // another choice is the best from here on, or edge and server are equal
};

// `12.5 Mbps`
std::string link_text(double bytes_per_second);

std::vector<CurvePoint> split_curve(const Split& split);

}  // namespace strata
