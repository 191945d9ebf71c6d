// Measures what confining a process costs: inferences of ONNX Runtime in a confined and
// in an unconfined process, by turns, and of two unconfined ones as a check of the method.
#include <array>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "bench/worker.h"
#include "data/npz_write.h"
#include "or_exit.h"
#include "strata/base/scratch_folder.h"
#include "strata/bench/bench.h"
#include "strata/build/weights.h"
#include "strata/data/inputs.h"
#include "strata/write/onnx.h"
#include "strata/zoo/zoo.h"

namespace {

constexpr std::size_t kProcesses = 8, kBlocks = 12;
constexpr double kBlockSeconds = 0.12;

template <class T>
T answer(strata::WorkerResult<T> result) {
  if (result) return std::move(*result);
  fmt::print(stderr, "{}\n", result.error().reason);
  std::exit(1);
}

strata::Worker started(const strata::Variant& variant, bool trusted) {
  auto worker = answer(strata::Worker::start(variant, {.trust_model = trusted}, STRATA_BINARY));
  const auto opened = answer(worker.open());
  answer(worker.run(std::max(3, static_cast<int>(0.3 / opened.first_seconds)), 1));
  return worker;
}

void print(const char* what, const strata::Blocks& with, const strata::Blocks& without) {
  const strata::SpeedUp ratio = strata::compare_blocks(with, without, 0);
  fmt::print("  {:<28} {:.4f} × [{:.4f}, {:.4f}]\n", what, ratio.median, ratio.interval.low,
             ratio.interval.high);
}

void measure(const std::string& name, int threads, const strata::ScratchFolder& scratch) {
  const auto network = bench::or_exit(strata::zoo::build(name));
  strata::WriteOptions write;
  write.fill = strata::build::random_weights(network.model, 0);
  strata::Variant variant;
  variant.engine = "onnxruntime";
  variant.file = scratch / (name + ".onnx");
  variant.inputs = scratch / (name + ".npz");
  variant.session.threads = threads;
  bench::or_exit(strata::write_onnx(network.model, variant.file, write));
  const auto inputs = bench::or_exit(strata::random_inputs(network.model, 0));
  bench::or_exit(strata::write_npz(variant.inputs, inputs));

  std::array<strata::Blocks, 3> blocks;  // confined, unconfined, unconfined
  for (strata::Blocks& own : blocks) own.resize(kProcesses);
  for (std::size_t process = 0; process < kProcesses; ++process) {
    std::array<strata::Worker, 3> workers = {started(variant, false), started(variant, true),
                                             started(variant, true)};
    for (std::size_t block = 0; block < kBlocks; ++block)
      for (std::size_t i = 0; i < workers.size(); ++i) {
        const std::size_t turn = (i + block) % workers.size();
        blocks[turn][process].push_back(answer(workers[turn].run(1 << 20, kBlockSeconds)).seconds);
      }
  }
  fmt::print("{}, {} thread{}\n", name, threads, threads == 1 ? "" : "s");
  print("confined / unconfined", blocks[0], blocks[1]);
  print("unconfined / unconfined", blocks[2], blocks[1]);
}

}  // namespace

int main() {
  const strata::ScratchFolder scratch = bench::or_exit(strata::ScratchFolder::create());
  for (const char* name : {"squeezenet1_1", "mobilenet_v2", "resnet18"})
    for (const int threads : {1, 2}) measure(name, threads, scratch);
}
