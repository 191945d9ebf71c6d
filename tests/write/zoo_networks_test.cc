// Networks of the zoo, written and read again: the same modules, classes and calls.
#include <gtest/gtest.h>

#include "strata/read/read.h"
#include "strata/write/onnx.h"
#include "strata/zoo/zoo.h"
#include "write/onnx/test_difference.h"

namespace strata {
namespace {

TEST(ZooNetworks, AreTheSameAfterWriting) {
  ASSERT_FALSE(zoo::entries().empty());
  for (const zoo::Entry& entry : zoo::entries()) {
    const auto network = zoo::build(entry.name);
    ASSERT_TRUE(network) << entry.name << ": " << network.error().message;
    const auto bytes = onnx_bytes(network->model);
    ASSERT_TRUE(bytes) << entry.name << ": " << bytes.error().message;
    const auto again = read_onnx(*bytes, entry.name);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(onnx::test::difference(network->model, *again), "") << entry.name;
  }
}

}  // namespace
}  // namespace strata
