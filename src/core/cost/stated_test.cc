// Statements of files about their weights are believed: which are learned, which are the same, and
// which nothing reads.
#include <gtest/gtest.h>

#include "cost/test_counted.h"
#include "strata/read/read.h"

// Members that a designated initializer leaves out are left out on purpose.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace strata {
namespace {

test::Counted counted_file(const std::string& name, const InferOptions& options = {}) {
  auto model = read_model(std::string(STRATA_SOURCE_DIR) + "/tests/models/pt2/" + name);
  EXPECT_TRUE(model) << model.error().message;
  return test::counted(std::move(*model), options);
}

// facts.json: sum(p.numel() for p in model.parameters()), with a tied weight and an unread layer.
TEST(StatedWeights, ParametersAreThoseOfPyTorch) {
  EXPECT_EQ(counted_file("blocks.pt2").costs.total.params.text(), "149");
  EXPECT_EQ(counted_file("blocks_core.pt2").costs.total.params.text(), "149");
  EXPECT_EQ(counted_file("blocks_2.8.pt2").costs.total.params.text(), "149");
  // Its program lacks the 2 · 3 + 3 parameters that nothing reads.
  EXPECT_EQ(counted_file("blocks_2.7.pt2").costs.total.params.text(), "140");
  EXPECT_EQ(counted_file("control.pt2").costs.total.params.text(), "40");
  EXPECT_EQ(counted_file("open.pt2").costs.total.params.text(), "40");
}

// The mean and the variance of four channels, and the offset of four.
TEST(StatedWeights, BuffersAreNoParameters) {
  EXPECT_EQ(counted_file("blocks.pt2").costs.buffers, 12u);
}

TEST(StatedWeights, UnreadParametersBelongToTheirModule) {
  const test::Counted blocks = counted_file("blocks.pt2");
  std::int64_t unread = 0;
  for (const Executed& executed : blocks.costs.nodes)
    if (blocks.model.scopes[executed.scope].path == "unused") {
      unread += executed.cost->params.value();
      EXPECT_TRUE(executed.cost->flops().is(0));
      EXPECT_TRUE(executed.cost->read_bytes.is(0));
    }
  EXPECT_EQ(unread, 2 * 3 + 3);
}

// Two images of 8 by 6: a convolution from 3 channels to 4 with windows of 3 by 3, and three layers
// from 4 to 4 numbers.
TEST(StatedWeights, WorkFollowsFromTheSizes) {
  const Expr macs = Expr(2 * 4 * 8 * 6) * (3 * 3 * 3) + 3 * (2 * 4 * 4);
  for (const char* name : {"blocks.pt2", "blocks_core.pt2", "blocks_2.8.pt2", "blocks_2.7.pt2"}) {
    const test::Counted open = counted_file(name, {.input_shapes = {{"x", {2, 3, 8, 6}}}});
    EXPECT_EQ(open.costs.total.macs.text(), macs.text()) << name;
    EXPECT_EQ(open.costs.total.certainty, Certainty::Exact) << name;
  }
}

// The larger branch of cond has 3 · 4 · 4, the scan 4 · 4 for each of 3 rows, and the loop 3 · 4 ·
// 4 each time.
TEST(StatedWeights, BodiesRunAsOftenAsTheFileSays) {
  EXPECT_EQ(counted_file("control.pt2").costs.total.macs.text(), "48·trips + 96");
  EXPECT_EQ(counted_file("control.pt2", {.sizes = {{"trips", 3}}}).costs.total.macs.text(), "240");
}

TEST(StatedWeights, CustomOperatorsMakeALowerBound) {
  const test::Counted custom = counted_file("custom.pt2");
  EXPECT_EQ(custom.costs.total.certainty, Certainty::LowerBound);
  EXPECT_EQ(custom.costs.unknown_ops, std::vector<std::string>{"strata_demo.twist (no rule)"});
}

}  // namespace
}  // namespace strata
