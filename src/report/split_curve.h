// The best latency at the link speeds that are shown: 1, 2, 5, 10 Mbps, … 10 Gbps.
#pragma once

#include <cstddef>
#include <vector>

#include "strata/profile/split.h"

namespace strata {

struct CurvePoint {
  double link_bytes_per_second = 0;
  double best_seconds = 0;
  std::size_t piece = 0;  // index into Split::pieces
};

std::vector<CurvePoint> split_curve(const Split& split);

}  // namespace strata
