// Measures the overhead of the harness: compares a bare loop in this process with a worker
// that is asked over its socket; blocks take turns. Runs on the fake engine, which is busy for
// exactly 5 ms, and on ONNX Runtime with a network that takes about as long.
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/worker.h"
#include "data/npz_write.h"
#include "strata/base/scratch_folder.h"
#include "strata/bench/bench.h"
#include "strata/build/weights.h"
#include "strata/data/inputs.h"
#include "strata/write/onnx.h"
#include "strata/zoo/zoo.h"

namespace {

using namespace strata;
using Clock = std::chrono::steady_clock;

constexpr int kProcesses = 5, kRounds = 8, kRuns = 20;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <class T>
T must(Result<T> result) {
  if (result) return std::move(*result);
  fmt::print(stderr, "{}\n", result.error().message);
  std::exit(1);
}

template <class T>
T must(WorkerResult<T> result) {
  if (result) return std::move(*result);
  fmt::print(stderr, "{}\n", result.error().reason);
  std::exit(1);
}

std::vector<double> bare_loop(Session& session) {
  std::vector<double> seconds;
  for (int i = 0; i < kRuns; ++i) {
    const Clock::time_point start = Clock::now();
    if (!session.run()) std::exit(1);
    seconds.push_back(seconds_since(start));
  }
  return seconds;
}

void compare(const char* what, const Variant& variant) {
  Blocks bare, worked;
  std::mt19937_64 random(0);
  double inside = 0, around = 0;
  for (int p = 0; p < kProcesses; ++p) {
    const Engine engine = must(load_engine(variant.engine));
    Session session = must(engine.open(variant.file, variant.session));
    if (!session.bind(must(read_tensors(variant.inputs)))) std::exit(1);
    Worker worker = must(Worker::start(variant, {}, STRATA_BINARY));
    must(worker.open());
    bare_loop(session);
    must(worker.run(kRuns, 60));
    bare.emplace_back();
    worked.emplace_back();
    for (int round = 0; round < kRounds; ++round) {
      const bool bare_first = random() % 2 == 0;
      for (const bool turn : {bare_first, !bare_first}) {
        if (turn) {
          bare.back().push_back(bare_loop(session));
          continue;
        }
        const Clock::time_point start = Clock::now();
        worked.back().push_back(must(worker.run(kRuns, 60)).seconds);
        around += seconds_since(start);
        for (const double seconds : worked.back().back()) inside += seconds;
      }
    }
  }
  const SpeedUp ratio = compare_blocks(worked, bare, 0);  // time in the worker over bare
  const auto all = [](const Blocks& blocks) {
    std::vector<double> samples;
    for (const auto& process : blocks)
      for (const auto& block : process) samples.insert(samples.end(), block.begin(), block.end());
    return summarize(samples);
  };
  const Summary alone = all(bare), asked = all(worked);
  fmt::print(
      "{}, {} inferences each\n"
      "  median    bare {:.4f} ms, worker {:.4f} ms: {:+.3f} % [{:+.3f}, {:+.3f}]\n"
      "  shortest  bare {:.4f} ms, worker {:.4f} ms: {:+.4f} %\n"
      "  asking, and waiting for threads to rest, takes {:.1f} % of the time beside them\n",
      what, alone.n, 1e3 * alone.median, 1e3 * asked.median, 100 * (ratio.median - 1),
      100 * (ratio.interval.low - 1), 100 * (ratio.interval.high - 1), 1e3 * alone.min,
      1e3 * asked.min, 100 * (asked.min / alone.min - 1), 100 * (around / inside - 1));
}

Variant make(const std::string& folder, const std::string& network, const std::string& engine,
             std::vector<std::string> engine_options) {
  auto built = must(zoo::build(network));
  WriteOptions write;
  write.fill = build::random_weights(built.model, 0);
  Variant variant;
  variant.engine = engine;
  variant.file = folder + "/model.onnx";
  variant.inputs = folder + "/inputs.npz";
  variant.session.threads = 1;
  variant.session.options = std::move(engine_options);
  std::ofstream(variant.file, std::ios::binary) << must(onnx_bytes(built.model, write));
  if (!write_npz(variant.inputs, must(random_inputs(built.model, 0)))) std::exit(1);
  return variant;
}

}  // namespace

int main() {
  const ScratchFolder scratch = ScratchFolder::create().value();
  const std::string& folder = scratch.path();
  compare("fake engine, 5 ms",
          make(folder, "squeezenet1_1?resolution=32", "fake", {"spin=5000000"}));
  if (load_engine("onnxruntime"))
    compare("onnxruntime, squeezenet1_1", make(folder, "squeezenet1_1", "onnxruntime", {}));
}
