// Networks that compute on constants. The totals with that work are what torch counts, which knows
// no constants: tests/models/counts/make_load_work.py prints them.
#include <gtest/gtest.h>

#include "strata/cost/cost.h"
#include "strata/infer/infer.h"
#include "strata/read/read.h"

namespace strata {
namespace {

Model network(const std::string& name) {
  auto model = read_model(STRATA_SOURCE_DIR "/tests/models/counts/" + name);
  EXPECT_TRUE(model) << model.error().message;
  EXPECT_TRUE(infer(*model));
  return std::move(*model);
}

// In each of 3 blocks, a table of 7·7 distances goes through an MLP of 2, 512 and as many channels
// as the block has heads: 3, 3 and 6. The table is data, not a parameter.
TEST(LoadWork, OfSwinV2IsItsPositionMlp) {
  const Model model = network("swin_v2.onnx");
  const NodeCost with = count(model, {.load_work = true}).total, without = count(model).total;
  EXPECT_EQ(with.macs, Expr(6841824));
  EXPECT_EQ(with.macs - without.macs, Expr(49 * (3 * 2 * 512 + 512 * (3 + 3 + 6))));
  EXPECT_EQ(with.params, Expr(59998));
  EXPECT_EQ(without.params, Expr(59998));
}

// Its first flow is zero, so that the first layers on it work on constants: 64 channels from 2·7·7
// and 32 from 64·3·3 at 16×16 positions.
TEST(LoadWork, OfRaftIsItsFirstFlow) {
  const Model model = network("raft_small.onnx");
  const NodeCost with = count(model, {.load_work = true}).total, without = count(model).total;
  EXPECT_EQ(with.macs, Expr(610467840));
  EXPECT_EQ(with.macs - without.macs, Expr(16 * 16 * (64 * 2 * 7 * 7 + 32 * 64 * 3 * 3)));
  EXPECT_EQ(with.params, Expr(990162));
  EXPECT_EQ(without.params, Expr(990162));
}

}  // namespace
}  // namespace strata
