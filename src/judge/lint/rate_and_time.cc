#include "lint/rate_and_time.h"

#include <algorithm>
#include <cmath>

namespace strata::lint {

namespace {

constexpr double kPrefix = 1000;    // between units of time
constexpr double kMinFrames = 0.5;  // there is no batch of less than one
constexpr double kMaxFrames = 900;  // at a time, in a table for people

}  // namespace

std::optional<RateAndTime> rate_and_time(const ClaimTable& table, Statistic statistic) {
  const auto rate = table.find(Meaning::FramesPerSecond, statistic);
  const auto time = table.find(Meaning::Seconds, statistic);
  if (!rate || !time) return std::nullopt;
  return RateAndTime{*rate, *time};
}

std::vector<RateAndTime> rates_and_times(const ClaimTable& table) {
  std::vector<RateAndTime> out;
  for (Statistic statistic : {Statistic::Value, Statistic::Median, Statistic::Mean})
    if (const auto columns = rate_and_time(table, statistic)) out.push_back(*columns);
  return out;
}

std::optional<Product> frames_at_once(const ClaimTable& table, const ClaimRow& row,
                                      const RateAndTime& columns) {
  const auto rate = table.at(row, columns.rate), time = table.at(row, columns.time);
  if (!rate || !time || rate->value <= 0 || time->value <= 0) return std::nullopt;
  Product out{.frames = rate->value * time->value,
              .rounding = rate->rounding / rate->value + time->rounding / time->value};
  while (out.frames < kMinFrames && out.scale < 1e9) out.frames *= kPrefix, out.scale *= kPrefix;
  while (out.frames > kMaxFrames && out.scale > 1e-9) out.frames /= kPrefix, out.scale /= kPrefix;
  return out;
}

double batch_of(const ClaimTable& table, const ClaimRow& row, double frames) {
  const auto batch = table.at(row, table.find_typical(Meaning::Batch));
  if (batch && batch->value >= 1) return batch->value;
  return std::max(1.0, std::round(frames));
}

}  // namespace strata::lint
