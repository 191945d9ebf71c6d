// Made-up benchmarks for tests of what is said about them.
#pragma once

#include <string>
#include <utility>

#include "strata/report/bench.h"

namespace strata::test {

// Blocks of ten samples around `seconds`.
inline VariantResult measured(std::string engine, double seconds, std::size_t samples,
                              double spread = 0.01) {
  VariantResult result;
  result.variant.model = "net";
  result.variant.engine = std::move(engine);
  result.variant.file = "net.onnx";
  result.variant.session.threads = 1;
  ProcessSamples process;
  process.open = {0.25, 0.0625, result.variant.engine + " 1.0", 1 << 20};
  process.peak_resident_bytes = 3 << 20;
  for (std::size_t i = 0; i < samples; ++i) {
    if (i % 10 == 0) process.blocks.emplace_back();
    const double step = static_cast<double>(i % 5) - 2;
    process.blocks.back().push_back(seconds * (1 + spread * step / 2));
  }
  process.warmup = {1, 2};
  result.processes.push_back(process);
  result.file_bytes = 4096;
  result.energy_source = "no counters";
  return result;
}

inline BenchRun two_variants(std::size_t samples = 200) {
  BenchRun run;
  run.program = "strata 0.1.0";
  run.machine = {{"cpu", "Test CPU"}, {"cores", "2"}};
  BenchGroup group{"net"};
  group.result.variants = {measured("slow", 0.2, samples), measured("fast", 0.1, samples)};
  group.result.variants[1].difference = OutputDifference{};
  group.result.variants[1].difference->max_error = 1e-5;
  group.result.variants[1].difference->relative_error = 1.2e-6;
  group.result.speed_ups = {SpeedUp{1, {1, 1}, {}, {}}, SpeedUp{2, {1.98, 2.02}, {}, {}}};
  group.result.winner = 1;
  group.result.pareto = {1};
  group.result.reached = true;
  group.modelled_joules = {0.002, std::nullopt};
  run.groups.push_back(group);
  return run;
}

inline std::string wide_table(const BenchRun& run) {
  TableStyle style;
  style.width = 0;
  return bench_to_table(run, style);
}

}  // namespace strata::test
