// The peak of activations of int8 networks, beside ONNX Runtime's own record of its memory: the
// blocks that its allocator hands out while it runs the same file.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/build/weights.h"
#include "strata/cost/cost.h"
#include "strata/cost/liveness.h"
#include "strata/data/inputs.h"
#include "strata/edit/qdq.h"
#include "strata/engine/engine.h"
#include "strata/infer/infer.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

class QuantizedPeak : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto loaded = load_engine("onnxruntime");
    if (!loaded) GTEST_SKIP() << loaded.error().message;
    engine_ = std::move(*loaded);
    auto network = zoo::build(GetParam());
    ASSERT_TRUE(network) << network.error().message;
    model_ = std::move(network->model);
    // How large the numbers are changes no memory.
    QdqPlan plan;
    plan.fill = build::random_weights(model_, 0);
    const std::vector<QuantLayer> layers = find_quant_layers(model_);
    for (const TensorId id : quant_tensors(model_, layers)) {
      Range& range = plan.ranges[std::string(model_.graph().tensors[id].name)];
      range.low = -1;
      range.high = 1;
    }
    auto made = quantized(model_, layers, plan);
    ASSERT_TRUE(made) << made.error().message;
    int8_ = std::move(*made);
    bytes_ = onnx_bytes(int8_.model, {.fill = plan.fill}).value();
    ASSERT_TRUE(infer(int8_.model));
  }

  // Most bytes in use at once. A block that a kernel takes and gives back itself is its working
  // memory and no tensor. The input is ours, so that it is in no block; the first kernel reads it.
  std::int64_t engine_peak() {
    SessionOptions options;
    options.threads = 1;
    options.trace_time = options.trace_memory = true;
    auto session = engine_.open(ModelBytes{bytes_}, options);
    EXPECT_TRUE(session) << session.error().message;
    const auto inputs = random_inputs(model_, 0).value();
    EXPECT_TRUE(session->bind(inputs));
    EXPECT_TRUE(session->run_traced({.blocks = true}));
    auto trace = session->run_traced({.kernels = true, .blocks = true});
    EXPECT_TRUE(trace) << trace.error().message;
    // ONNX Runtime rounds times down to microseconds, so that a kernel may seem to end before it
    // gives back its scratch. It has ended when the next one starts.
    constexpr std::int64_t kRounding = 2000;
    std::vector<Kernel>& kernels = trace->kernels;
    std::sort(kernels.begin(), kernels.end(),
              [](const Kernel& a, const Kernel& b) { return a.start_ns < b.start_ns; });
    std::vector<std::int64_t> ends;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      const std::int64_t end = kernels[k].start_ns + kernels[k].duration_ns;
      const std::int64_t next = k + 1 < kernels.size() ? kernels[k + 1].start_ns : trace->end_ns;
      ends.push_back(std::max(end, std::min(end + kRounding, next)));
    }
    EXPECT_GT(ends.size(), 20u);
    const auto kernel_at = [&](std::int64_t time) {
      return std::lower_bound(ends.begin(), ends.end(), time) - ends.begin();
    };
    std::stable_sort(trace->blocks.begin(), trace->blocks.end(),
                     [](const Block& a, const Block& b) { return a.time_ns < b.time_ns; });
    struct Change {
      std::int64_t time, bytes;
    };
    std::vector<Change> changes = {{trace->start_ns, 0}, {ends.front(), 0}};
    for (const HostTensor& input : inputs) {
      changes[0].bytes += static_cast<std::int64_t>(input.data.size());
      changes[1].bytes -= static_cast<std::int64_t>(input.data.size());
    }
    std::map<std::uint64_t, std::size_t> open;  // address → its change
    for (const Block& block : trace->blocks) {
      if (block.bytes >= 0) {
        open[block.address] = changes.size();
        changes.push_back({block.time_ns, block.bytes});
        continue;
      }
      const auto taken = open.find(block.address);
      if (taken == open.end()) continue;
      Change& begun = changes[taken->second];
      const std::int64_t bytes = begun.bytes;
      if (kernel_at(begun.time) == kernel_at(block.time_ns))
        begun.bytes = 0;
      else
        changes.push_back({block.time_ns, -bytes});
      open.erase(taken);
    }
    std::stable_sort(changes.begin(), changes.end(),
                     [](const Change& a, const Change& b) { return a.time < b.time; });
    std::int64_t now = 0, most = 0;
    for (const Change& change : changes) most = std::max(most, now += change.bytes);
    return most;
  }

  std::int64_t our_peak(bool as_stored) const {
    const Costs costs = count(int8_.model, {.as_stored = as_stored});
    return find_liveness(int8_.model, costs).peak_bytes.value();
  }

  Engine engine_;
  Model model_;
  QuantizedModel int8_;
  std::string bytes_;
};

// All are equal to the byte with ONNX Runtime 1.27.
TEST_P(QuantizedPeak, IsThatOfTheEngine) {
  const auto engine = static_cast<double>(engine_peak());
  const auto integers = static_cast<double>(our_peak(false));
  EXPECT_NEAR(integers / engine, 1, 0.1) << integers << " and " << engine << " bytes";
  // The types of the file give at least three times as much.
  EXPECT_GT(static_cast<double>(our_peak(true)), 3 * engine);
}

// The memory that ONNX Runtime holds beyond the tensors that are alive, derived by hand from the
// kernels that it lists. It keeps the memory of a tensor for a later one of the same size, and it
// computes HardSwish in float by two kernels, with a tensor between them.
class QuantizedPeakOfPlan : public QuantizedPeak {};

TEST_P(QuantizedPeakOfPlan, IsTheEnginesLessWhatItKeeps) {
  // The first two convolutions of layer1.0 give 64×16×16 bytes each, which wait for layer1.1's.
  std::int64_t kept = 2 * 64 * 16 * 16;
  // The first convolution's 16×48×48 bytes wait for another tensor; HardSigmoid's are floats.
  if (GetParam().starts_with("mobilenet")) kept = 16 * 48 * 48 + 4 * 16 * 48 * 48;
  EXPECT_EQ(engine_peak(), our_peak(false) + kept);
}

INSTANTIATE_TEST_SUITE_P(Networks, QuantizedPeakOfPlan,
                         testing::Values("resnet50?resolution=64",
                                         "mobilenet_v3_small?resolution=96"),
                         [](const auto& network) {
                           return network.param.substr(0, network.param.find('?'));
                         });
INSTANTIATE_TEST_SUITE_P(Networks, QuantizedPeak,
                         testing::Values("mobilenet_v2?resolution=96", "resnet18?resolution=64",
                                         "squeezenet1_1?resolution=96", "mnasnet1_0?resolution=96",
                                         "shufflenet_v2_x1_0?resolution=96",
                                         "googlenet?resolution=96"),
                         [](const auto& network) {
                           return network.param.substr(0, network.param.find('?'));
                         });

}  // namespace
}  // namespace strata
