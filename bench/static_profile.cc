// Reads, infers and counts real networks, in process, on one core.
#include <fstream>
#include <iterator>
#include <string>

#include <benchmark/benchmark.h>

#include "strata/cost/cost.h"
#include "strata/infer/infer.h"
#include "strata/read/read.h"

namespace {

std::string model_path(const std::string& name) {
  return std::string(STRATA_SOURCE_DIR) + "/tests/models/" + name + ".onnx";
}

void profile(benchmark::State& state, strata::Result<strata::Model> model) {
  if (!model) return state.SkipWithError(model.error().message.c_str());
  auto inferred = strata::infer(*model);
  if (!inferred) return state.SkipWithError(inferred.error().message.c_str());
  benchmark::DoNotOptimize(strata::count(*model).total.macs);
}

// The file's bytes are already in memory.
void from_memory(benchmark::State& state, const std::string& name) {
  std::ifstream in(model_path(name), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  for ([[maybe_unused]] auto _ : state) profile(state, strata::read_onnx(bytes, name));
  state.SetItemsProcessed(state.iterations());
}

// Includes opening and mapping the file.
void from_file(benchmark::State& state, const std::string& name) {
  const std::string path = model_path(name);
  for ([[maybe_unused]] auto _ : state) profile(state, strata::read_model(path));
  state.SetItemsProcessed(state.iterations());
}

}  // namespace

int main(int argc, char** argv) {
  for (const char* name : {"mobilenet_v2", "resnet50", "mobilenet_v2_dynamic"}) {
    benchmark::RegisterBenchmark((std::string(name) + "/memory").c_str(), from_memory, name);
    benchmark::RegisterBenchmark((std::string(name) + "/file").c_str(), from_file, name);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
