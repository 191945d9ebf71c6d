#include "lint/checks.h"

namespace strata::lint {

namespace {

constexpr CheckRule kChecks[] = {
    {"rate_above_peak", "rates above the device's peak", check_rate_above_peak},
    {"time_flat", "the same time for very different work", check_time_flat},
    {"absorbed_wait", "one row that waits for all others", check_absorbed_wait},
    {"nesting", "parts that take longer than the whole, or leave much unexplained", check_nesting},
    {"allocation_multiple", "allocations that are a whole multiple of the output",
     check_allocation},
    {"time_unit", "times in another unit than the heading says", check_time_unit},
    {"batch", "a rate times a time that is not a batch size", check_batch},
    {"mean_of_rates", "a mean of rates in place of work over time", check_mean_of_rates},
    {"few_samples", "a percentile of too few samples", check_few_samples},
    {"noisy", "a coefficient of variation above 2.5 %", check_noisy},
    {"tail_speed_up", "a speedup that the tail does not have", check_tail_speed_up},
    {"total", "a total that is not the sum", check_total},
    {"rate", "a rate that is not the work over the time", check_rate},
    {"macs_and_flops", "more multiply-adds than operations", check_macs_and_flops},
    {"tables", "tables that disagree about a network", check_tables},
    {"shapes", "shapes that do not chain", check_shapes},
};

}  // namespace

std::span<const CheckRule> checks() { return kChecks; }

std::vector<Finding> check(const Claims& claims) {
  std::vector<Finding> findings;
  for (const CheckRule& rule : kChecks) rule.run(claims, findings);
  return findings;
}

}  // namespace strata::lint
