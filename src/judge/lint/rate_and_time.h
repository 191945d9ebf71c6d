// Frames per second times seconds per batch is the batch.
#pragma once

#include <optional>
#include <vector>

#include "strata/lint/claims.h"

namespace strata::lint {

struct RateAndTime {
  std::size_t rate = 0, time = 0;  // columns of the same statistic
};
// Columns that go together: medians, means, values.
std::vector<RateAndTime> rates_and_times(const ClaimTable& table);
std::optional<RateAndTime> rate_and_time(const ClaimTable& table, Statistic statistic);

struct Product {
  double frames = 0;    // at a time, with the time in its true unit
  double scale = 1;     // 1000: the true time is a thousand times what the file says
  double rounding = 0;  // relative
};
// nullopt where a number is missing or not above 0. What is below a frame, or a thousand of them,
// is taken for a time in another unit.
std::optional<Product> frames_at_once(const ClaimTable& table, const ClaimRow& row,
                                      const RateAndTime& columns);
// The whole number nearest to `frames`, or what a column says.
double batch_of(const ClaimTable& table, const ClaimRow& row, double frames);

}  // namespace strata::lint
