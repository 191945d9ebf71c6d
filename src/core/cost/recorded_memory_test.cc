#include "strata/cost/recorded_memory.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read/recording/reader.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

using testing::ElementsAre;
using testing::Pair;

// x of 40 bytes and a weight of 16; `a` makes 100 bytes, `b` makes 60 of them and gives the 100
// back, and the network itself adds another 60.
std::string run_of(std::string_view phase, std::string_view more = "") {
  return R"({"strata_recording":1,"source":"torch 2.13.0","name":"Net",
 "modules":[["","Net",-1,0],["a","Mul",0,0],["b","ReLU",0,0]],
 "tensors":[["float32",[10],null,0,0],["float32",[4],null,1,0],["float32",[25],null,2,0],
            ["float32",[15],null,3,0],["float32",[15],null,4,0]],
 "storages":[[40,"cpu"],[16,"cpu"],[100,"cpu"],[60,"cpu"],[60,"cpu"],[16,"cpu"]],
 "parameters":[[1,"w","",true]],"inputs":[[0,"x"]],"outputs":[[4,"y"]],
 "calls":[["aten.mul.Tensor",[{"t":0},{"t":1}],{},[2],1,0],
          ["aten.relu.default",[{"t":2}],{},[3],2,)" +
         std::string(phase) + R"(],
          ["aten.add.Tensor",[{"t":3},{"t":3}],{},[4],0,)" +
         std::string(phase) + R"(]],
 "frees":[[2,1]])" +
         std::string(more) + "}";
}

Model read_run(const std::string& text, bool memory = true) {
  auto model = recording::read(text, "run", {.memory = memory});
  EXPECT_TRUE(model) << (model ? "" : model.error().message);
  return std::move(*model);
}

TEST(RecordedMemory, AtEntryAndExitOfEveryCall) {
  const std::string text = run_of("0");
  Model model = read_run(text);
  ASSERT_TRUE(infer(model));
  const Costs costs = count(model);
  const Layers layers = find_layers(model, costs);
  const auto memory = recorded_device(model, costs, layers);
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->weights, 16);
  EXPECT_EQ(memory->inputs, 40);
  EXPECT_EQ(memory->peak_allocated, 16 + 40 + 100 + 60);
  EXPECT_EQ(memory->peak_reserved, -1);
  ASSERT_EQ(memory->layers.size(), 3U);
  EXPECT_EQ(layer_path(model, costs, layers.list[memory->peak_layer]), "b");
  const auto at = [&](std::size_t layer) {
    const CallMemory call = memory->layers[layer].value();
    return std::vector{call.net, call.alloc, call.at_exit};
  };
  EXPECT_THAT(at(0), ElementsAre(0, 100, 100));
  EXPECT_THAT(at(1), ElementsAre(100, 60 - 100, 60));
  EXPECT_THAT(at(2), ElementsAre(60, 60, 120));
  // The network's own call is from the first entry to the last exit.
  EXPECT_EQ(memory->scopes[0]->net, 0);
  EXPECT_EQ(memory->scopes[0]->at_exit, 120);
  EXPECT_TRUE(phase_peaks(model).empty());
}

TEST(RecordedMemory, IsReadIfItIsAskedFor) {
  const std::string text = run_of("0");
  Model model = read_run(text, false);
  ASSERT_TRUE(infer(model));
  const Costs costs = count(model);
  const auto memory = recorded_device(model, costs, find_layers(model, costs));
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().message,
            "it is not a recording, so that nothing is known of the memory of a run");
}

TEST(RecordedMemory, OfATrainingStepByPhase) {
  // `a` keeps the weight and its result, the network 3's; 4 is a gradient, and 5 nobody made.
  const std::string text = run_of("1", R"(,"saved":[[1,1],[2,1],[2,2],[3,0]],"gradients":[4],
 "optimizer":{"name":"SGD","state":[5]})");
  const Model model = read_run(text, false);
  const auto phases = phase_peaks(model);
  ASSERT_EQ(phases.size(), 2U);
  EXPECT_EQ(phase_name(phases[0].phase), "forward");
  EXPECT_EQ(phases[0].peak(), 16 + 40 + 100);
  EXPECT_EQ(phases[0].activations, 40 + 100);
  EXPECT_EQ(phase_name(phases[1].phase), "backward");
  EXPECT_EQ(phases[1].peak(), 16 + 40 + 100 + 60);
  EXPECT_EQ(phases[1].weights, 16);
  EXPECT_EQ(phases[1].gradients, 0);
  EXPECT_EQ(phases[1].activations, 40 + 100 + 60);
  EXPECT_THAT(saved_by_module(model), ElementsAre(Pair("a", 100), Pair("", 60)));
}

TEST(RecordedMemory, NumbersOutOfRangeAreSentences) {
  const auto problem = [](const std::string& text) {
    const auto model = recording::read(text, "run", {.memory = true});
    return model ? "" : model.error().message;
  };
  std::string text = run_of("0");
  text.replace(text.find("[2,1]]"), 6, "[9,1]]");
  EXPECT_EQ(problem(text), "run: there is no storage 9; it has 6");
  EXPECT_EQ(problem(run_of("1", R"(,"saved":[],"gradients":[-1])")),
            "run: there is no storage -1; it has 6");
}

}  // namespace
}  // namespace strata
