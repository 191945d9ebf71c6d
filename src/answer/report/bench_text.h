// Words and figures that the outputs of a benchmark share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/report/bench.h"

namespace strata {

// `onnxruntime:opt=off`
std::string backend_text(const Variant& variant);
// Its label without what its group says: `onnxruntime:opt=off int8 2 threads batch 4`.
std::string variant_text(const Variant& variant);
// `resnet50`, `decoder max`
std::string group_text(const BenchGroup& group);
// `41.20 ms`, or `n/a (n=200, needs 662)` where the samples do not carry it.
std::string percentile_text(const Summary& summary, double q);
// `1.41× [1.39, 1.43]`; `?` where there is too little to say.
std::string speed_up_text(double ratio, const Interval& interval);
// Faster or slower where the interval of a speedup says so for sure.
Meaning meaning_of(const Interval& speed_up);
// The distance from the base's answer: `equal`, `1.2e-06`, `34.1 dB`, `97 % of boxes`.
std::string difference_text(const VariantResult& result);
// `3.21 mJ` as measured; `≈3.21 mJ` from counts; `not readable here`.
std::string energy_text(const VariantResult& result, std::optional<double> modelled);
// `ok`, `partial`, `crashed`
std::string outcome_text(const VariantResult& result);

// Samples over the time that they took together. For inferences at a fixed rate the
// moments are given, so there is none.
std::optional<double> samples_per_second(const VariantResult& result, const LoadMode& load);
// Over processes: the median of those that told, the largest peak.
std::optional<double> median_open_seconds(const VariantResult& result);
std::optional<double> median_first_seconds(const VariantResult& result);
std::optional<std::int64_t> peak_resident_bytes(const VariantResult& result);
// Other work pushed it aside. At a fixed rate it waits anyway, which looks the same.
bool was_disturbed(const VariantResult& result, const LoadMode& load);
bool is_in(const std::vector<std::size_t>& list, std::size_t item);

// All variants as rows: plain numbers in base units, and other columns for people.
Table bench_table(const BenchRun& run);
Table torchblade_table(const BenchRun& run);
// The facts of a run's document, beside its tables.
Members bench_facts(const BenchRun& run);

// The conclusions from the rows: the fastest of each model, failures, the signs in the table. One
// line each; lines that belong to the line before are indented. Names the fastest if there are
// several models; for one, the verdict does.
std::string bench_findings(const BenchRun& run);
// Says what disturbed the runs, and how they were measured.
std::string bench_method(const BenchRun& run);
// Why no variant was compared with the base: too few runs, for all of them. Empty if one was.
std::string not_compared(const BenchResult& result);
// `net: fastest is onnxruntime, 3.2 ms: 1.41× [1.39, 1.43] over torch`
std::string bench_answer(const BenchGroup& group);
// The document without its verdict, for reports with one of their own.
Document measured_document(const BenchRun& run, BenchLayout layout = BenchLayout::Own);
std::string aa_summary(const BenchRun& run);
// A bar for every median of a group, its 95 % interval shaded.
std::string bench_bars(const BenchGroup& group, std::size_t width);

}  // namespace strata
