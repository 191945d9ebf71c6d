#include "strata/task/model.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/base/scratch_folder.h"
#include "strata/build/builder.h"
#include "strata/build/weights.h"
#include "strata/cost/cost.h"
#include "strata/read/read.h"
#include "strata/write/onnx.h"

namespace strata {
namespace {

using testing::HasSubstr;

const std::string kDynamic = STRATA_SOURCE_DIR "/tests/models/mobilenet_v2_dynamic.onnx";

std::string input_shape(const Model& model) {
  return text(model.graph().tensors[model.graph().inputs[0]].type->dims);
}

TEST(ModelRequest, SizesThatAreLeftOpenStayOpen) {
  const auto loaded = load_model({kDynamic});
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(input_shape(loaded->model), "N×3×224×224");
}

TEST(ModelRequest, WhatRunsHasOneItemUnlessAskedForMore) {
  ModelRequest request{kDynamic};
  EXPECT_EQ(input_shape(load_one_item(request)->model), "1×3×224×224");
  request.sizes.batch = 4;
  EXPECT_EQ(input_shape(load_one_item(request)->model), "4×3×224×224");
}

TEST(ModelRequest, ANetworkOfTheZooIsBuiltWithTheBatch) {
  ModelRequest request{"zoo:vit_b_16?resolution=32"};
  request.sizes.batch = 4;
  const auto loaded = load_model(request);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(input_shape(loaded->model), "4×3×32×32");
  EXPECT_EQ(loaded->model.path, request.source.word());
  const auto named = load_model({"zoo:vit_b_16?resolution=32&batch=4"});
  ASSERT_TRUE(named) << named.error().message;
  EXPECT_EQ(count(loaded->model).total.flops(), count(named->model).total.flops());
}

// A file that takes the first image and leaves the others: its numbers would be those of one.
TEST(ModelRequest, ABatchThatAFileDoesNotUseIsRefused) {
  build::Builder net("First");
  build::Var x = net.input("input", {1, 8});
  x = net.unsqueeze(net.gather(x, net.integer(0), 0), {0});
  net.output("output", net.linear("fc", x, 4));
  auto network = std::move(net).finish();
  ASSERT_TRUE(network) << network.error().message;
  WriteOptions write;
  write.fill = build::random_weights(network->model, 0);
  const auto bytes = onnx_bytes(network->model, write);
  ASSERT_TRUE(bytes) << bytes.error().message;
  const std::string path = testing::TempDir() + "first.onnx";
  std::ofstream(path, std::ios::binary) << *bytes;
  ModelRequest request{path};
  EXPECT_TRUE(load_model(request));
  request.sizes.batch = 1;
  EXPECT_TRUE(load_model(request));
  request.sizes.batch = 4;
  const auto loaded = load_model(request);
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message,
              HasSubstr("with a batch of 4 it would compute as much as with its own of 1"));
}

TEST(ModelRequest, ErrorsNameTheFile) {
  ModelRequest request{kDynamic};
  request.sizes.input_shapes.emplace_back("nowhere", Dims{1});
  EXPECT_THAT(load_model(request).error().message, HasSubstr("mobilenet_v2_dynamic.onnx: "));
  EXPECT_THAT(load_model({"zoo:nowhere"}).error().message, HasSubstr("nowhere"));
}

TEST(EngineModel, AFileIsOpenedAndANetworkOfTheZooIsWritten) {
  const auto file = load_model({kDynamic});
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(engine_model(*file, {kDynamic}, 0)->file.word(), kDynamic);
  const ModelRequest request{"zoo:squeezenet1_1?resolution=32"};
  const auto network = load_model(request);
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_TRUE(check_has_weights(network->model, request.source));
  const auto written = engine_model(*network, request, 0);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_TRUE(written->file.empty());
  const auto read = read_onnx(written->bytes, "bytes");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(check_has_weights(*read));
  EXPECT_NE(engine_model(*network, request, 1)->bytes, written->bytes);  // another seed
}

// The files of the repository have shapes and no elements.
TEST(EngineModel, AFileWithoutWeightsCannotBeRun) {
  const auto loaded = load_model({kDynamic});
  ASSERT_TRUE(loaded) << loaded.error().message;
  const auto status = check_has_weights(loaded->model);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("stripped of its weights"));
}

TEST(EngineModel, NorCanOneWhoseWeightsAreInAFileThatIsNotThere) {
  const ScratchFolder folder = ScratchFolder::create().value();
  const std::string path = folder / "net.onnx";
  const auto network = load_model({"zoo:squeezenet1_1?resolution=32"});
  ASSERT_TRUE(network) << network.error().message;
  WriteOptions write;
  write.fill = build::random_weights(network->model, 0);
  write.max_file = 200'000;  // less than the weights, so that they get a file of their own
  ASSERT_TRUE(write_onnx(network->model, path, write));
  const auto loaded = load_model({path});
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_TRUE(check_has_weights(loaded->model));
  std::filesystem::remove(path + ".data");
  const auto status = check_has_weights(loaded->model);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            path +
                ": it cannot be run, because its weights are in \"net.onnx.data\", which is "
                "not there");
}

}  // namespace
}  // namespace strata
