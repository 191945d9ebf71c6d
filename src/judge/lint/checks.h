// The checks, one file each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strata/lint/lint.h"

namespace strata::lint {

void check_rate_above_peak(const Claims& claims, std::vector<Finding>& findings);
void check_time_flat(const Claims& claims, std::vector<Finding>& findings);
void check_absorbed_wait(const Claims& claims, std::vector<Finding>& findings);
void check_nesting(const Claims& claims, std::vector<Finding>& findings);
void check_allocation(const Claims& claims, std::vector<Finding>& findings);
void check_time_unit(const Claims& claims, std::vector<Finding>& findings);
void check_batch(const Claims& claims, std::vector<Finding>& findings);
void check_mean_of_rates(const Claims& claims, std::vector<Finding>& findings);
void check_few_samples(const Claims& claims, std::vector<Finding>& findings);
void check_noisy(const Claims& claims, std::vector<Finding>& findings);
void check_tail_speed_up(const Claims& claims, std::vector<Finding>& findings);
void check_total(const Claims& claims, std::vector<Finding>& findings);
void check_rate(const Claims& claims, std::vector<Finding>& findings);
void check_macs_and_flops(const Claims& claims, std::vector<Finding>& findings);
void check_tables(const Claims& claims, std::vector<Finding>& findings);
void check_shapes(const Claims& claims, std::vector<Finding>& findings);

// Seconds of one call of a row: the median of its samples, else what the table says.
std::optional<double> seconds_of(const ClaimTable& table, const ClaimRow& row);

// The work of a row, to be compared with other rows.
struct Work {
  double amount = 0;
  bool is_flops = false;  // else elements that it reads and writes
};
std::optional<Work> work_of(const ClaimTable& table, const ClaimRow& row);
// `47.20 GFLOP`, `20.48 M elements`
std::string work_text(const Work& work);
// `554.5 TFLOP/s`, `12 FLOP/s`
std::string with_unit(double number, std::string_view unit);

// Layers that could be of one kind: those of one type or, where types are not known, those whose
// names differ in numbers only.
std::vector<std::vector<std::size_t>> alike_rows(const ClaimTable& table);
// Rows of one kind that take the same time although their work differs much; empty: there are
// none. The least work is first, the most is last.
std::vector<std::vector<std::size_t>> flat_rows(const ClaimTable& table);

}  // namespace strata::lint
