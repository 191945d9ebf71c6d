// Runs planned variants: what bench and optimize share.
#pragma once

#include "strata/report/bench.h"
#include "task/bench_plan.h"

namespace strata {

// Puts the file as the user knows it in place of one that was made for the engine.
void name_files(const PlannedVariant& planned, Variant& variant);

// Runs all variants of a group; those that cannot be run get the reason.
Result<BenchGroup> run_group(const PlannedGroup& planned, BenchOptions options,
                             const Observer& observer);

// Compares the base of the group with itself.
Result<BenchAa> check_group(const PlannedGroup& planned, int trials, BenchOptions options,
                            const Observer& observer);

}  // namespace strata
