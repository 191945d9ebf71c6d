// Building and costing networks in code: what an architecture search does.
#include <string>

#include <benchmark/benchmark.h>

#include "strata/cost/cost.h"
#include "strata/zoo/zoo.h"

namespace {

void build_and_count(benchmark::State& state, const std::string& name) {
  for ([[maybe_unused]] auto _ : state) {
    auto network = strata::zoo::build(name);
    if (!network) return state.SkipWithError(network.error().message.c_str());
    benchmark::DoNotOptimize(strata::count(network->model).total.macs);
  }
  state.SetItemsProcessed(state.iterations());
}

void build_only(benchmark::State& state, const std::string& name) {
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(strata::zoo::build(name));
  state.SetItemsProcessed(state.iterations());
}

}  // namespace

int main(int argc, char** argv) {
  for (const char* name : {"mobilenet_v2"}) {
    benchmark::RegisterBenchmark((std::string(name) + "/build").c_str(), build_only, name);
    benchmark::RegisterBenchmark((std::string(name) + "/build+count").c_str(), build_and_count,
                                 name);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
