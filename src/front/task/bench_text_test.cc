#include "strata/task/bench_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/machine/machine.h"

namespace strata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class T>
std::string message(const Result<T>& read) {
  return read ? "fine" : read.error().message;
}

TEST(BenchText, AnOptionBelongsToTheEngineBeforeIt) {
  const auto engines = parse_engine_list({"onnxruntime,onnxruntime:opt=off,spin=0", "torch"});
  ASSERT_TRUE(engines) << engines.error().message;
  ASSERT_EQ(engines->size(), 3u);
  EXPECT_EQ((*engines)[1].style, "opt=off,spin=0");
  EXPECT_EQ((*engines)[1].optimization, STRATA_OPT_NONE);
  EXPECT_THAT((*engines)[1].options, ElementsAre("spin=0"));
  EXPECT_EQ((*engines)[2].engine, "torch");
  EXPECT_EQ(message(parse_engine_list({"opt=off"})),
            "opt=off: an option without its engine; write ENGINE:opt=off");
  EXPECT_EQ(message(parse_engine_list({"a,,b"})), "a,,b: an item of the list is empty");
  EXPECT_EQ(parse_engine_list({"a,,b"}).error().kind, ErrorKind::Usage);
}

TEST(BenchText, AnEngineHasPrecisionsOfItsOwn) {
  const auto engines = parse_engine_list({"onnxruntime:precision=fp32+int8,torch:mode=eager"});
  ASSERT_TRUE(engines) << engines.error().message;
  EXPECT_THAT((*engines)[0].precisions, ElementsAre("fp32", "int8"));
  EXPECT_TRUE((*engines)[1].precisions.empty());
  EXPECT_EQ(message(parse_engine_list({"torch:precision=fp23"})),
            "torch:precision=fp23: precision fp23: there is fp64, fp32, tf32, bf16, fp16, int8");
}

TEST(BenchText, NumbersAreTakenOnce) {
  EXPECT_THAT(parse_batch_list({"1,2,2", "8"}).value(), ElementsAre(1, 2, 8));
  EXPECT_EQ(message(parse_batch_list({"0"})),
            "0: write whole numbers from 1 to 1048576, with commas between");
  EXPECT_THAT(parse_thread_list({"2,1", "2"}).value(), ElementsAre(2, 1));
  EXPECT_EQ(parse_threads("all").value(), std::max(read_machine().cores, 1));
  for (const char* threads : {"0", "1025", "2x", "", "-1"})
    EXPECT_THAT(message(parse_threads(threads)), HasSubstr("a number from 1 to 1024, or all"));
}

TEST(BenchText, PrecisionsAreKnown) {
  EXPECT_THAT(parse_precision_list({"fp32,int8"}).value(), ElementsAre("fp32", "int8"));
  EXPECT_EQ(message(parse_precision_list({"fp31"})),
            "fp31: there is fp64, fp32, tf32, bf16, fp16, int8");
}

TEST(BenchText, AModelMayBeSeveralFiles) {
  const auto model = parse_model_files("torch=b/net.pt,onnxruntime=b/net.onnx");
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->file_for("torch"), "b/net.pt");
  EXPECT_EQ(model->file_for("onnxruntime"), "b/net.onnx");
  EXPECT_EQ(message(parse_model_files("net.onnx")),
            "net.onnx: write it as torch=model.pt,onnxruntime=model.onnx");
  EXPECT_EQ(message(parse_model_files("a=1,a=2")), "a=1,a=2: a has two files");
}

TEST(BenchText, AQuantizedFileFindsItsModel) {
  std::vector<BenchModel> models{{.source = "zoo:mobilenet_v2?width=0.5"}};
  name_models(models);
  ASSERT_TRUE(set_int8_file(models, "mobilenet_v2?width=0.5=small.onnx"));
  EXPECT_EQ(models[0].int8, "small.onnx");
  EXPECT_EQ(set_int8_file(models, "x.onnx").error().message, "x.onnx: write it as MODEL=FILE");
  EXPECT_EQ(set_int8_file(models, "other=x").error().message,
            "other=x: there is no model \"other\" here; there is mobilenet_v2?width=0.5");
}

}  // namespace
}  // namespace strata
