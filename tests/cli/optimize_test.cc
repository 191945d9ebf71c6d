// `strata optimize`: what is written, and when nothing is. No times are checked.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "program_folder.h"

namespace strata {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

class Optimize : public ProgramFolder {};

TEST_F(Optimize, WritesTheModelAndAReceiptThatRunsIt) {
  const Ran ran = strata(
      "optimize 'zoo:squeezenet1_1?resolution=64' -o fast.onnx --engine fake --precision fp32 "
      "--threads 1,2 --max-time 2s");
  // 3: a slow moment of the machine may make the check fail, which it then says.
  ASSERT_THAT(ran.code, AnyOf(0, 3)) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("written file against the measured variant"));
  auto receipt = nlohmann::json::parse(read("fast.onnx.receipt.json"), nullptr, false);
  ASSERT_TRUE(receipt.is_object());
  EXPECT_EQ(receipt["facts"]["precision"], "fp32");
  EXPECT_EQ(receipt["facts"]["tried"]["models"][0]["variants"].size(), 2u);
  std::string command = receipt["facts"]["command"];
  ASSERT_TRUE(command.starts_with("strata "));
  const Ran again = strata(command.substr(7) + " --max-time 1s --processes 1");
  EXPECT_EQ(again.code, 0) << again.text;
}

// The programs beside the model are what a user deploys: the one in C++ compiles, the one in Python
// runs.
TEST_F(Optimize, WritesProgramsThatRunTheModel) {
  const Ran ran = strata(
      "optimize 'zoo:squeezenet1_1?resolution=64' -o fast.onnx --engine "
      "onnxruntime:spin=0,config.session.set_denormal_as_zero=1 --precision fp32 --threads 1 "
      "--max-time 2s");
  ASSERT_THAT(ran.code, AnyOf(0, 3)) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("in a program: fast.onnx.run.py, fast.onnx.run.cc"));
  const std::string python = read("fast.onnx.run.py"), cpp = read("fast.onnx.run.cc");
  EXPECT_THAT(python, HasSubstr("options.intra_op_num_threads = 1\n"));
  EXPECT_THAT(python, HasSubstr("(\"session.intra_op.allow_spinning\", \"0\")\n"));
  EXPECT_THAT(python, HasSubstr("(\"session.set_denormal_as_zero\", \"1\")\n"));
  EXPECT_THAT(python, HasSubstr(".with_name(\"fast.onnx\")\n"));
  EXPECT_THAT(cpp, HasSubstr("AddConfigEntry(\"session.intra_op.allow_spinning\", \"0\");\n"));
  EXPECT_THAT(cpp, HasSubstr("Ort::Session session(env, \"fast.onnx\", options);\n"));
  const Ran compiled =
      shell("/usr/bin/python3 -c 'compile(open(\"fast.onnx.run.py\").read(), \"\", \"exec\")'");
  EXPECT_EQ(compiled.code, 0) << compiled.text;
  const auto receipt = nlohmann::json::parse(read("fast.onnx.receipt.json"), nullptr, false);
  EXPECT_EQ(receipt["facts"]["programs"].size(), 2u);
  // A file of the user's is not replaced.
  write("fast.onnx.run.py", "print('mine')\n");
  const Ran refused =
      strata("optimize 'zoo:squeezenet1_1?resolution=64' -o fast.onnx --engine onnxruntime");
  EXPECT_EQ(refused.code, 2) << refused.text;
}

TEST_F(Optimize, AnswersThatAreNotGoodEnoughAreNotTaken) {
  const Ran ran = strata(
      "optimize 'zoo:squeezenet1_1?resolution=64' -o fast.onnx --engine onnxruntime "
      "--precision fp32,int8 --random --threads 1 --min-sqnr 300 --max-time 5s");
  ASSERT_THAT(ran.code, AnyOf(0, 3)) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("over 16 samples, wanted SQNR 300 dB"));
  auto receipt = nlohmann::json::parse(read("fast.onnx.receipt.json"), nullptr, false);
  EXPECT_EQ(receipt["facts"]["precision"], "fp32");
}

// Without trying any engine first.
TEST_F(Optimize, FilesOfOtherFormatsAreAnsweredAtOnce) {
  const std::pair<const char*, const char*> files[] = {
      {STRATA_SOURCE_DIR "/tests/models/pt2/blocks.pt2",
       "is an exported PyTorch program, and optimize takes ONNX and TorchScript files; write one "
       "with torch 2: torch.onnx.export(torch.export.load("},
      {STRATA_SOURCE_DIR "/tests/models/openvino/image.xml",
       "is an OpenVINO network, and optimize takes ONNX and TorchScript files; give the "
       "model that it was converted from"}};
  for (const auto& [file, sentence] : files) {
    const Ran ran = strata(std::string("optimize ") + file + " -o fast.onnx");
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.text, HasSubstr(sentence));
  }
}

// PyTorch makes its faster forms of a file when it loads it, so the programs beside the copy do
// that.
TEST_F(Optimize, TorchscriptIsWrittenWithTheModeThatIsFastest) {
  if (strata("engines").text.find("\ntorch ") == std::string::npos)
    GTEST_SKIP() << "PyTorch is not installed";
  const std::string script = STRATA_TEST_MODELS "/small_script.pt";
  const std::string shape = " --input 1x3x32x32 --threads 1 --max-time 4s";
  const Ran ran = strata("optimize " + script + " -o fast.pt" + shape);
  ASSERT_THAT(ran.code, AnyOf(0, 3)) << ran.text;
  EXPECT_EQ(read("fast.pt"), read(script));
  auto receipt = nlohmann::json::parse(read("fast.pt.receipt.json"), nullptr, false);
  EXPECT_EQ(receipt["facts"]["tried"]["models"][0]["variants"].size(), 3u);
  EXPECT_EQ(receipt["facts"]["precision"], "fp32");
  EXPECT_THAT(receipt["notes"][0].get<std::string>(), HasSubstr("torch.onnx.export("));
  const std::string command = receipt["facts"]["command"];
  EXPECT_TRUE(command.ends_with(" --threads 1 --input 1x3x32x32")) << command;
  const std::string style = receipt["facts"]["style"], python = read("fast.pt.run.py");
  const std::string line = style == "mode=eager"    ? "optimized_execution(False)"
                           : style == "mode=frozen" ? "module = torch.jit.freeze(module)\n"
                                                    : "module = torch.jit.optimize_for_inference(";
  EXPECT_THAT(python, HasSubstr(line));
  EXPECT_THAT(python, HasSubstr("torch.zeros([1, 3, 32, 32], dtype=torch.float32)"));
  EXPECT_THAT(read("fast.pt.run.cc"), HasSubstr("torch::jit::load(\"fast.pt\", at::kCPU)"));
  const Ran run = shell("/usr/bin/python3 fast.pt.run.py");  // Debian's torch, which wrote it
  EXPECT_EQ(run.code, 0) << run.text;
  EXPECT_THAT(run.text, HasSubstr("0 torch.float32 (1, 1000)\n"));
  write("mine.pt", "my notes");
  const Ran refused = strata("optimize " + script + " -o mine.pt" + shape);
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.text, HasSubstr("mine.pt is not a TorchScript file"));
}

// A fast model whose answers nobody has checked is not a result.
TEST_F(Optimize, WithoutSamplesThereIsNoInt8) {
  const std::string start =
      "optimize 'zoo:squeezenet1_1?resolution=64' -o fast.onnx --engine onnxruntime --threads 1 "
      "--max-time 5s ";
  for (const char* precisions : {"", "--precision fp32,int8 "}) {
    const Ran ran = strata(start + precisions);
    ASSERT_THAT(ran.code, AnyOf(0, 3)) << ran.text;
    EXPECT_THAT(ran.text, HasSubstr("Note: int8 was not tried: it needs samples"));
    const auto receipt = nlohmann::json::parse(read("fast.onnx.receipt.json"), nullptr, false);
    EXPECT_EQ(receipt["facts"]["precision"], "fp32");
    EXPECT_EQ(receipt["facts"]["tried"]["models"][0]["variants"].size(), 1u);
    EXPECT_THAT(receipt["notes"][0].get<std::string>(), HasSubstr("--random"));
  }
  const Ran only = strata(start + "--precision int8");
  EXPECT_EQ(only.code, 2) << only.text;
  EXPECT_THAT(only.text, HasSubstr("int8 was not tried"));
}

TEST_F(Optimize, Int8FromRandomSamplesIsLoud) {
  const Ran ran = strata(
      "optimize 'zoo:squeezenet1_1?resolution=64' -o fast.onnx --engine onnxruntime "
      "--precision int8 --random --threads 1 --min-sqnr -100 --max-time 2s");
  ASSERT_THAT(ran.code, AnyOf(0, 3)) << ran.text;
  const auto receipt = nlohmann::json::parse(read("fast.onnx.receipt.json"), nullptr, false);
  EXPECT_EQ(receipt["facts"]["tried"]["models"][0]["variants"].size(),
            2u);                                        // with floats, to judge it
  if (receipt["facts"]["precision"] != "int8") return;  // floats were as fast on a busy machine
  EXPECT_THAT(ran.text, HasSubstr("WARNING: RANDOM samples"));
  EXPECT_THAT(ran.text, HasSubstr("16 RANDOM samples"));
  EXPECT_THAT(receipt["facts"]["warning"].get<std::string>(), HasSubstr("RANDOM"));
  EXPECT_TRUE(receipt["facts"]["answers"]["random"].get<bool>());
}

TEST_F(Optimize, NothingIsWrittenWhereNothingRuns) {
  EXPECT_EQ(strata("optimize zoo:none -o fast.onnx").code, 2);
  const Ran crash = strata(
      "optimize 'zoo:squeezenet1_1?resolution=64' -o fast.onnx --engine fake:fail=crash "
      "--precision fp32 --threads 1 --max-time 2s");
  EXPECT_EQ(crash.code, 1) << crash.text;
  EXPECT_THAT(crash.text, HasSubstr("nothing ran; fast.onnx was not written"));
  const Ran budget = strata("optimize zoo:squeezenet1_1 -o fast.onnx --max-time soon");
  EXPECT_EQ(budget.code, 2) << budget.text;
  EXPECT_FALSE(exists("fast.onnx"));
  EXPECT_FALSE(exists("fast.onnx.receipt.json"));
}

}  // namespace
}  // namespace strata
