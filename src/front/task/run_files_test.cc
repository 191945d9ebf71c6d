#include "task/run_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/npz_write.h"

namespace strata {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Variant variant(const std::string& engine, std::vector<std::string> options) {
  Variant out;
  out.engine = engine;
  out.session.threads = 2;
  out.session.options = std::move(options);
  return out;
}

TEST(RunFiles, SetWhatWasMeasuredWithOnnxRuntime) {
  Variant measured = variant("onnxruntime", {"spin=0", "config.session.x=1"});
  measured.session.optimization = STRATA_OPT_EXTENDED;
  const auto files = run_files(measured, "fast.onnx");
  ASSERT_TRUE(files);
  EXPECT_THAT(files->python,
              AllOf(StartsWith(std::string(kRunPython)), HasSubstr("intra_op_num_threads = 2\n"),
                    HasSubstr("GraphOptimizationLevel.ORT_ENABLE_EXTENDED\n"),
                    HasSubstr("(\"session.intra_op.allow_spinning\", \"0\")\n"),
                    HasSubstr("(\"session.x\", \"1\")\n"), Not(HasSubstr("{{"))));
  EXPECT_THAT(files->cpp,
              AllOf(StartsWith(std::string(kRunCpp)), HasSubstr("SetIntraOpNumThreads(2);\n"),
                    HasSubstr("SetGraphOptimizationLevel(ORT_ENABLE_EXTENDED);\n"),
                    HasSubstr("session(env, \"fast.onnx\", options);\n"), Not(HasSubstr("{{"))));
}

// OpenVINO computes in bf16 if it is not told otherwise.
TEST(RunFiles, SetWhatWasMeasuredWithOpenVino) {
  Variant measured = variant("openvino", {"hint=throughput", "streams=2"});
  const auto floats = run_files(measured, "fast.onnx");
  ASSERT_TRUE(floats);
  for (const std::string& text : {floats->python, floats->cpp})
    EXPECT_THAT(text, AllOf(HasSubstr("\"INFERENCE_PRECISION_HINT\""), HasSubstr("\"f32\""),
                            HasSubstr("\"THROUGHPUT\""), HasSubstr("\"NUM_STREAMS\""),
                            HasSubstr("\"INFERENCE_NUM_THREADS\""), Not(HasSubstr("{{"))));
  measured.session.precision = "bf16";
  EXPECT_THAT(run_files(measured, "fast.onnx")->python, HasSubstr("\"bf16\""));
}

TEST(RunFiles, NamesStayInsideTheirQuotes) {
  Variant measured = variant("onnxruntime", {"config.a\"b=c\nd"});
  measured.style = "x\nimport os";
  const auto files = run_files(measured, "a\"; import os; \"\\\n.onnx");
  ASSERT_TRUE(files);
  for (const std::string& text : {files->python, files->cpp}) {
    EXPECT_THAT(text, HasSubstr(R"("a\"; import os; \"\\\012.onnx")"));
    EXPECT_THAT(text, HasSubstr(R"("a\"b", "c\012d")"));
    EXPECT_THAT(text, Not(HasSubstr("\nimport os\n.")));
    EXPECT_THAT(text, HasSubstr("onnxruntime:x import os 2 threads.\n"));
  }
}

TEST(RunFiles, SetTheModeThatWasMeasuredWithTorch) {
  const std::string npz = testing::TempDir() + "run_files.npz";
  std::vector<HostTensor> inputs(2);
  inputs[0] = {"ids\"", DType::I64, {1, 2}, std::vector<std::byte>(16)};
  inputs[1] = {"mask", DType::Bool, {2}, std::vector<std::byte>(2)};
  ASSERT_TRUE(write_npz(npz, inputs));
  Variant measured = variant("torch", {"mode=frozen"});
  measured.inputs = npz;
  auto files = run_files(measured, "fast.pt");
  ASSERT_TRUE(files);
  EXPECT_THAT(files->python, AllOf(HasSubstr("torch.set_num_threads(2)\n"),
                                   HasSubstr("torch.jit.freeze(module)\n"),
                                   HasSubstr(R"("ids\"": torch.zeros([1, 2], dtype=torch.int64),)"),
                                   HasSubstr("module(**inputs)\n"), Not(HasSubstr("{{"))));
  EXPECT_THAT(files->cpp, AllOf(HasSubstr("  module = torch::jit::freeze(module);\n"),
                                HasSubstr(R"(inputs["mask"] = at::zeros({2}, at::kBool);)")));
  measured.session.options = {"mode=eager"};
  files = run_files(measured, "fast.pt");
  EXPECT_THAT(files->python,
              AllOf(HasSubstr("optimized_execution(False)"), Not(HasSubstr("freeze"))));
  measured.session.precision = "bf16";
  files = run_files(measured, "fast.pt");
  EXPECT_THAT(files->python, HasSubstr("torch.autocast(\"cpu\", torch.bfloat16), "));
  EXPECT_THAT(files->cpp, HasSubstr("  at::autocast::increment_nesting();\n"));
  measured.session.options = {"package=other.pt2"};
  EXPECT_FALSE(run_files(measured, "fast.pt"));
  measured.session.options = {};
  measured.inputs = npz + ".no";
  EXPECT_FALSE(run_files(measured, "fast.pt"));
}

TEST(RunFiles, WhatTheyCouldNotSayIsNotWritten) {
  EXPECT_FALSE(run_files(variant("fake", {}), "fast.onnx"));
  EXPECT_FALSE(run_files(variant("onnxruntime", {"provider.x=1"}), "fast.onnx"));
  Variant elsewhere = variant("onnxruntime", {});
  elsewhere.session.device = "cuda";
  EXPECT_FALSE(run_files(elsewhere, "fast.onnx"));
}

}  // namespace
}  // namespace strata
