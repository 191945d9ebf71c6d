// Planned variants, run: what `bench` and `optimize` share.
#pragma once

#include "cli/bench_variants.h"
#include "strata/report/bench.h"

namespace strata::cli {

// One line that is written over, on a terminal only.
void show_progress(const std::string& model, const BenchProgress& progress);
void clear_progress();

// The file as the user knows it, in place of one that was made up for the engine.
void name_files(const PlannedVariant& planned, Variant& variant);

// All variants of a group, those that cannot be run with the reason.
Result<BenchGroup> run_group(const PlannedGroup& planned, BenchOptions options);

}  // namespace strata::cli
