// Activations of programs of PyTorch, where operators write over their input or return views of it.
// Sizes are worked by hand; tests/pt2 compares whole networks with torch's own storages.
#include <memory>

#include <gtest/gtest.h>

#include "cost/test_aten_network.h"
#include "strata/cost/liveness.h"
#include "strata/graph/recorded.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

Liveness live(AtenNetwork& network) {
  EXPECT_TRUE(infer(network.model));
  return find_liveness(network.model, count(network.model));
}

// x has 3·32·32 floats, 12,288 bytes; the convolution gives 16 channels, 65,536 bytes. ReLU writes
// over them, and the pool gives 16·8·8 floats, 4,096 bytes. Most is alive at the convolution.
TEST(TorchLiveness, OperatorsInPlaceMakeNoMemory) {
  AtenNetwork network;
  const TensorId x = network.input({1, 3, 32, 32});
  const TensorId y = network.add("conv2d", {x, network.weight({16, 3, 1, 1})}, {1, 16, 32, 32});
  const TensorId r = network.add("relu_.default", {y}, {1, 16, 32, 32});
  network.add("max_pool2d", {r}, {1, 16, 8, 8});
  const Liveness found = live(network);
  EXPECT_EQ(found.peak_bytes, Expr(12288 + 65536));
  EXPECT_EQ(found.alive[1], Expr(65536));
  EXPECT_EQ(found.alive[2], Expr(65536 + 4096));
}

// Three chunks of 16·64 floats are views of one tensor of 16·192, 12,288 bytes, which lives as long
// as any of them. A product and a sum take 4,096 bytes each.
TEST(TorchLiveness, EveryOutputOfASplitIsAView) {
  for (const std::string_view op : {"chunk", "split.Tensor", "split_with_sizes"}) {
    AtenNetwork network;
    const TensorId x = network.input({16, 64});
    const TensorId y = network.add("linear", {x, network.weight({192, 64})}, {16, 192});
    const auto parts = network.add_all(op, {y}, {{16, 64}, {16, 64}, {16, 64}});
    const TensorId product = network.add("mul.Tensor", {parts[0], parts[1]}, {16, 64});
    network.add("add.Tensor", {product, parts[2]}, {16, 64});
    const Liveness found = live(network);
    EXPECT_EQ(found.alive[1], Expr(12288)) << op;
    EXPECT_EQ(found.peak_bytes, Expr(12288 + 2 * 4096)) << op;
  }
}

TEST(TorchLiveness, AConversionToTheSameTypeReturnsItsInput) {
  AtenNetwork network;
  const TensorId x = network.input({100});
  const TensorId same = network.add("to.dtype", {x}, {100});
  network.add("relu", {same}, {100});
  EXPECT_EQ(live(network).peak_bytes, Expr(800)) << "x and the result";

  AtenNetwork half;
  const TensorId wide = half.input({100});
  const TensorId narrow = half.add("to.dtype", {wide}, {100});
  TypeInfo type = half.graph().tensors[narrow].type;
  type.dtype = DType::F16;
  half.graph().tensors[narrow].type = type;
  EXPECT_EQ(live(half).peak_bytes, Expr(400 + 200));
}

// A reshape of transposed elements copies them, and one of elements in order does not.
TEST(TorchLiveness, AReshapeCopiesElementsThatAreOutOfOrder) {
  AtenNetwork turned;
  const TensorId x = turned.input({10, 20});
  turned.add("reshape", {turned.add("t", {x}, {20, 10})}, {200});
  EXPECT_EQ(live(turned).peak_bytes, Expr(2 * 800));
  AtenNetwork straight;
  const TensorId y = straight.input({10, 20});
  straight.add("reshape", {y}, {200});
  EXPECT_EQ(live(straight).peak_bytes, Expr(800));
}

// Torch gives the result of a fold, 192 floats, the memory of its input, 27·64 floats.
TEST(TorchLiveness, AFoldKeepsAsMuchMemoryAsItReads) {
  AtenNetwork network;
  network.add("col2im", {network.input({1, 27, 64})}, {1, 3, 8, 8});
  EXPECT_EQ(live(network).peak_bytes, Expr(2 * 27 * 64 * 4));
}

// A run made a tensor of ten numbers, which are no constant of a program: 40 bytes beside the
// input, 40, and the product, 40. Twenty bytes more are behind the product.
TEST(TorchLiveness, ARunMakesItsLiteralsAndMayTakeMoreThanIsNeeded) {
  AtenNetwork network;
  const TensorId x = network.input({10});
  const TensorId made = network.add("lift_fresh", {network.weight({10})}, {10});
  const TensorId product = network.add("mul.Tensor", {x, made}, {10});
  EXPECT_EQ(live(network).peak_bytes, Expr(80));

  RecordedRun run;
  network.model.recorded = std::make_shared<RecordedRun>(run);
  EXPECT_EQ(live(network).peak_bytes, Expr(120));
  run.larger = {{product, 60}};
  network.model.recorded = std::make_shared<RecordedRun>(run);
  EXPECT_EQ(live(network).peak_bytes, Expr(140));
  EXPECT_EQ(live(network).certainty, Certainty::Exact);
  run.peaks_at_least = true;
  network.model.recorded = std::make_shared<RecordedRun>(run);
  EXPECT_EQ(live(network).certainty, Certainty::LowerBound);
}

}  // namespace
}  // namespace strata
