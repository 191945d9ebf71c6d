#include "report/split_curve.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace strata {

namespace {

constexpr double kSlowest = 1e6 / 8, kFastest = 1e10 / 8;  // of the curve, in bytes per second

// Seconds per byte at which both take equally long; 0 if there are none above 0.
double crossing_of(const PartitionLine& a, const PartitionLine& b) {
  const double slowness = (a.fixed_seconds - b.fixed_seconds) / (b.bytes - a.bytes);
  return std::isfinite(slowness) && slowness > 0 ? slowness : 0;
}

}  // namespace

std::string link_text(double bytes_per_second) {
  double bits = bytes_per_second * 8;
  const char* units[] = {"bps", "kbps", "Mbps", "Gbps", "Tbps"};
  std::size_t unit = 0;
  while (unit + 1 < std::size(units) && bits >= 999.5) bits /= 1000, ++unit;
  return fmt::format("{:.4g} {}", bits, units[unit]);
}

std::vector<CurvePoint> split_curve(const Split& split) {
  std::vector<CurvePoint> curve;
  for (const double decade : {1e6, 1e7, 1e8, 1e9, 1e10})
    for (const double step : {1.0, 2.0, 5.0})
      if (decade * step / 8 <= kFastest) curve.push_back({decade * step / 8});
  const auto add_crossing = [&](double slowness) {
    const double link = 1 / slowness;
    if (!(link > kSlowest && link < kFastest)) return;
    const auto same = std::find_if(curve.begin(), curve.end(), [&](const CurvePoint& point) {
      return std::abs(point.link_bytes_per_second - link) < 1e-9 * link;
    });
    if (same == curve.end()) curve.push_back({link, 0, 0, true});
  };
  for (std::size_t i = 0; i + 1 < split.pieces.size(); ++i) add_crossing(split.pieces[i].to);
  add_crossing(crossing_of(split.all_edge.line(), split.all_server.line()));
  std::sort(curve.begin(), curve.end(), [](const CurvePoint& a, const CurvePoint& b) {
    return a.link_bytes_per_second < b.link_bytes_per_second;
  });
  for (CurvePoint& point : curve) {
    const double slowness = 1 / point.link_bytes_per_second;
    while (point.piece + 1 < split.pieces.size() && split.pieces[point.piece].to < slowness)
      ++point.piece;
    point.best_seconds = split.pieces[point.piece].best.line().at(slowness);
  }
  return curve;
}

}  // namespace strata
