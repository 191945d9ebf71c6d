#include "read/torch/script.h"

#include <gtest/gtest.h>

#include "strata/read/read.h"
#include "strata/read/weights.h"

namespace strata {
namespace {

const std::string kFolder = STRATA_SOURCE_DIR "/tests/models/weights/";

TEST(TorchScript, IsToldFromOtherArchives) {
  EXPECT_TRUE(Source(kFolder + "torchscript.pt").is_code());
  EXPECT_FALSE(Source(kFolder + "torchscript.pt").is_weights());
  EXPECT_FALSE(Source(kFolder + "plain.safetensors").is_code());
  EXPECT_FALSE(Source(kFolder + "nothing.pt").is_code());
  EXPECT_FALSE(torch::looks_like_script(""));
  EXPECT_FALSE(torch::looks_like_script("PK\x03\x04 and no more"));
}

TEST(TorchScript, WhatWasRecordedOfItIsAModel) {
  const auto model = read_recording(
      R"({"strata_recording":1,"source":"torch 1.13.0","tensors":[["float32",[2],null,0,0],)"
      R"(["float32",[2],null,1,0]],"inputs":[[0,"x"]],"outputs":[[1,"output"]],)"
      R"("calls":[["aten.relu.default",[{"t":0}],{},[1],-1,0]]})",
      "x.pt");
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->path, "x.pt");
  ASSERT_EQ(model->graph().nodes.size(), 1u);
  EXPECT_EQ(model->graph().nodes[0].name, "relu");
  EXPECT_EQ(read_recording("{", "y.pt").error().message.substr(0, 5), "y.pt:");
}

}  // namespace
}  // namespace strata
