#include <fmt/format.h>

#include "lint/checks.h"

namespace strata::lint {

namespace {

constexpr double kAllowed = 1.05;  // peaks are measured, too
// Smaller tensors may come from a cache, which is faster than the memory.
constexpr double kLargerThanCaches = 128.0 * (1 << 20);

struct Rate {
  double value;
  double peak;
  const char* unit;
};

// The highest of a row against its peak.
std::optional<Rate> excess(const Claims& claims, const ClaimTable& table, const ClaimRow& row) {
  const auto seconds = seconds_of(table, row);
  if (!seconds) return std::nullopt;
  const auto work = work_of(table, row);
  if (claims.peak_flops_per_s && work && work->is_flops) {
    const double rate = work->amount / *seconds;
    if (rate > kAllowed * *claims.peak_flops_per_s)
      return Rate{rate, *claims.peak_flops_per_s, "FLOP/s"};
  }
  const auto moved = table.at(row, table.find_typical(Meaning::MovedBytes));
  if (claims.peak_bytes_per_s && moved && moved->value >= kLargerThanCaches) {
    const double rate = moved->value / *seconds;
    if (rate > kAllowed * *claims.peak_bytes_per_s)
      return Rate{rate, *claims.peak_bytes_per_s, "B/s"};
  }
  return std::nullopt;
}

}  // namespace

void check_rate_above_peak(const Claims& claims, std::vector<Finding>& findings) {
  for (const ClaimTable& table : claims.tables) {
    Finding finding{.check = "rate_above_peak", .table = table.title};
    double worst = 0;
    for (const ClaimRow& row : table.rows) {
      const auto rate = excess(claims, table, row);
      if (!rate) continue;
      finding.rows.push_back(row.name);
      if (rate->value / rate->peak <= worst) continue;
      worst = rate->value / rate->peak;
      finding.row = row.name;
      finding.evidence =
          fmt::format("{} where the device has {}", with_unit(rate->value, rate->unit),
                      with_unit(rate->peak, rate->unit));
    }
    if (finding.rows.empty()) continue;
    finding.meaning =
        "the time is too short for the work: the timer does not wait for the device, or the "
        "work is counted wrongly";
    findings.push_back(std::move(finding));
  }
}

}  // namespace strata::lint
