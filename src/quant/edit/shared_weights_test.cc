#include "edit/shared_weights.h"

#include <unistd.h>

#include <cstring>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "edit/edit.h"
#include "strata/base/scratch_folder.h"
#include "strata/build/builder.h"
#include "strata/build/weights.h"
#include "strata/read/read.h"

namespace strata {
namespace {

// One weight of 64 × 64 floats, and a bias of 64, which is small.
build::Network one_layer() {
  build::Builder net("Net");
  net.output("y", net.linear("fc", net.input("x", {1, 64}), 64));
  auto network = std::move(net).finish();
  EXPECT_TRUE(network) << network.error().message;
  return std::move(*network);
}

const TensorData* stored(const Model& model, std::string_view name) {
  for (const Tensor& tensor : model.graph().tensors)
    if (tensor.name == name) return tensor.data;
  return nullptr;
}

TEST(SharedWeights, LargeOnesAreLeftOutAndMadeOnce) {
  const build::Network network = one_layer();
  const FillElements random = build::random_weights(network.model, 0);
  int asked = 0;
  const FillElements fill = [&](const TensorData& data, std::int64_t first,
                                std::span<std::byte> chunk) {
    asked += data.name == "fc.weight" ? 1 : 0;
    return random(data, first, chunk);
  };
  SharedWeights shared(network.model, fill);
  const char* at = nullptr;
  for (int i = 0; i < 3; ++i) {
    Model copy = GraphEdit(network.model).finish();
    const auto written = shared.write(copy);
    ASSERT_TRUE(written) << written.error().message;
    ASSERT_EQ(written->stored.size(), 1);
    EXPECT_EQ(written->stored[0].bytes.size(), 64 * 64 * 4);
    if (at != nullptr) {
      EXPECT_EQ(at, written->stored[0].bytes.data());
    }
    at = written->stored[0].bytes.data();
    EXPECT_LT(written->model.size(), 2000);
    const auto back = read_onnx(written->model, "shared");
    ASSERT_TRUE(back) << back.error().message;
    const TensorData* weight = stored(*back, "fc.weight");
    ASSERT_NE(weight, nullptr);
    EXPECT_EQ(weight->store, TensorData::Store::External);
    EXPECT_EQ(weight->location, written->stored[0].location);
    EXPECT_EQ(stored(*back, "fc.bias")->store, TensorData::Store::Raw);
  }
  EXPECT_EQ(asked, 1);
}

TEST(SharedWeights, ElementsInAnotherFileAreFound) {
  const build::Network network = one_layer();
  const auto folder = ScratchFolder::create();
  ASSERT_TRUE(folder) << folder.error().message;
  const std::string path = *folder / "net.onnx";
  WriteOptions options;
  options.fill = build::random_weights(network.model, 0);
  options.max_file = 1000;
  options.min_outside = 1;
  ASSERT_TRUE(write_onnx(network.model, path, options));
  const auto model = read_model(path);
  ASSERT_TRUE(model) << model.error().message;
  ASSERT_EQ(stored(*model, "fc.weight")->store, TensorData::Store::External);

  const FillElements none;
  SharedWeights shared(*model, none);
  Model copy = GraphEdit(*model).finish();
  const auto written = shared.write(copy);
  ASSERT_TRUE(written) << written.error().message;
  ASSERT_EQ(written->stored.size(), 2);
  std::vector<std::byte> expected(64 * 64 * 4);
  ASSERT_TRUE(options.fill(*stored(network.model, "fc.weight"), 0, expected));
  const auto& first =
      written->stored[0].bytes.size() == expected.size() ? written->stored[0] : written->stored[1];
  ASSERT_EQ(first.bytes.size(), expected.size());
  EXPECT_EQ(std::memcmp(first.bytes.data(), expected.data(), expected.size()), 0);

  // The error names a file that is missing.
  std::filesystem::remove(path + ".data");
  SharedWeights gone(*model, none);
  Model other = GraphEdit(*model).finish();
  const auto failed = gone.write(other);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, testing::HasSubstr("net.onnx.data"));
}

}  // namespace
}  // namespace strata
