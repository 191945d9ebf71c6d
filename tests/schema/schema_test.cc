// The JSON of every command obeys its schema in data/schemas. python3-jsonschema judges it; it
// also has to refuse the same documents with a member
// misspelt or missing.
#include <gtest/gtest.h>

#include <string>

#include "../run_shell.h"
#include "strata/base/scratch_folder.h"

namespace {

using strata::Ran;
using strata::run_shell;

const std::string kValidate = "/usr/bin/python3 -B -W ignore " STRATA_SOURCE_DIR
                              "/tests/schema/validate.py " STRATA_SOURCE_DIR "/data/schemas";

class Schema : public testing::TestWithParam<const char*> {
 protected:
  const strata::ScratchFolder scratch_ = strata::ScratchFolder::create().value();
  const std::string folder_ = scratch_.path();
};

TEST_P(Schema, OutputIsValidAndDamagedOutputIsNot) {
  const std::string file = folder_ + "/out.json";
  const Ran made = run_shell("cd " STRATA_SOURCE_DIR " && OUT=" + folder_ +
                             " && " STRATA_BINARY " " + GetParam() + " > " + file);
  ASSERT_EQ(made.code, 0) << made.text;
  const Ran judged = run_shell(kValidate + " --broken " + file);
  EXPECT_EQ(judged.code, 0) << judged.text;
}

constexpr const char* kCommands[] = {
    "stat tests/models/resnet18.onnx --format json",
    "stat tests/models/mobilenet_v2_dynamic.onnx --format json --report tree --arena --dim N=2",
    "stat tests/models/mobilenet_v2_dynamic.onnx --format json --columns +macs%",
    "stat tests/models/mobilenet_v2.onnx --format json --device-memory pytorch-cuda",
    "stat tests/models/mobilenet_v2.onnx --format json --layout torchstat",
    "stat tests/models/mobilenet_v2.onnx --format json --layout rasp",
    "stat tests/cli/models/custom_op.onnx --format json",
    "stat tests/cli/models/nonzero.onnx --format json",
    "stat tests/models/counts/swin_v2.onnx --format json --load-work",
    "stat 'zoo:squeezenet1_1?resolution=64' --time --memory --engine fake --runs 8 --format json",
    "bench 'zoo:squeezenet1_1?resolution=32' --engine "
    "fake:spin=1000000,fake:answer=wrong,spin=1000000,fake:fail=crash "
    "--max-time 1s --processes 1 --format json",
    "bench 'zoo:squeezenet1_1?resolution=32' --engine fake:spin=1000000 --max-time 1s --processes "
    "1 --aa "
    "--format json",
    "bench 'zoo:squeezenet1_1?resolution=32' --engine fake:spin=1000000 --max-time 1s --processes "
    "1 --columns "
    "model,median --format json",
    "payload tests/cli/models/nonzero.onnx --format json",
    "payload tests/models/resnet18.onnx --format json --cuts --split --link 100Mbps --edge "
    "10GFLOP/s --server 1TFLOP/s",
    "calibrate 'zoo:squeezenet1_1?resolution=64' --engine fake --random --samples 2 --format json",
    "sensitivity 'zoo:squeezenet1_1?resolution=64' --engine fake --random --samples 2 "
    "--leave-one-out --format json",
    "sensitivity tests/models/digits/digits.onnx --data tests/models/digits/images.npz --samples 4 "
    "--parts --format json",
    "quantize tests/models/digits/digits.onnx --data tests/models/digits/images.npz --samples 32 "
    "--max-time 2s "
    "-o $OUT/int8.onnx --format json",
    "optimize 'zoo:squeezenet1_1?resolution=32' -o $OUT/fast.onnx --precision fp32 --threads 1 "
    "--max-time 2s --format json",
    "sweep tests/schema/sweep.toml -o $OUT/sweep.jsonl --format json",
    "engines fake --format json",
    "devices --format json",
    "predict zoo:squeezenet1_1 --on rtx-4090 --format json",
    "predict zoo:squeezenet1_1 --on rtx-4090,cortex-m7,raspberry-pi-5 --format json",
    "devices show rtx-4090 --format json",
    "llm zoo:qwen3-30b-a3b --on h100 --batch 16 --format json",
    "llm zoo:llama-3.1-70b --on h100 --format json",
    "llm zoo:deepseek-v3 --format json",
    "llm zoo:llama-3-8b --sweep on=l4,2xh100 --sweep batch=1,64 --format json",
    "engines fake --format json --columns engine,precision,works --filter int8",
    "lint tests/lint/published/fasterrcnn_profile.txt --format json -o $OUT/lint.json; cat "
    "$OUT/lint.json",
    "lint tests/lint/published/rasp_mobilenet_v2.md --device 40TFLOP/s --format json",
    "diff tests/models/resnet18.onnx tests/models/resnet50.onnx "
    "tests/models/mobilenet_v2_dynamic.onnx "
    "--format json",
    "diff tests/data/saved_by_0.1/bench.json tests/data/saved_by_0.1/bench.json --all --format "
    "json",
    "check tests/models/mobilenet_v2.onnx --budget params=5M,macs=320M,no:Einsum,unknown=0 "
    "--format "
    "json",
    "stat tests/models/resnet18.onnx tests/models/mobilenet_v2_dynamic.onnx --format json",
    "stat 'zoo:squeezenet1_1?resolution=64' 'zoo:squeezenet1_0?resolution=64' --time --engine fake "
    "--runs 8 --format json",
    "stat tests/models/weights/state_dict.pth --format json",
    "stat tests/models/weights/q4_k_m.gguf --report tree --format json",
    "stat tests/models/weights/sharded/model.safetensors.index.json --report type --format json",
    "stat tests/models/hugging_face/tiny/mixtral --format json",
    "diff tests/models/weights/plain.safetensors tests/models/weights/parameters.bin --format json",
    "ops --format json",
    "formats --format json",
    "zoo --format json --top 3",
    "zoo table --format json",
    "zoo table --format json --layout rasp",
};
INSTANTIATE_TEST_SUITE_P(Commands, Schema, testing::ValuesIn(kCommands));

// Verdicts as build servers read them, in the judgement of Python's parser of XML. It gives back
// the names as they are, whatever is in them.
TEST_F(Schema, JunitIsXml) {
  const std::string file = folder_ + "/junit.xml";
  const Ran made = run_shell("cd " STRATA_SOURCE_DIR " && " STRATA_BINARY
                             " check tests/models/resnet18.onnx --junit " +
                             file + " --budget 'no:<a&b>\"]]>,macs=1,params=12M' > /dev/null");
  ASSERT_EQ(made.code, 3) << made.text;
  const Ran judged = run_shell(
      "/usr/bin/python3 -c 'import sys, xml.etree.ElementTree as E; "
      "s = E.parse(sys.argv[1]).getroot()[0]; "
      "print(s.get(\"tests\"), s.get(\"failures\"), "
      "*[(c.get(\"name\"), [f.tag for f in c]) for c in s])' " +
      file);
  EXPECT_EQ(judged.text,
            "3 1 ('no <a&b>\"]]>', []) ('macs = 1', ['failure']) ('params = 12M', [])\n");
}

// Documents of 0.1 do not obey today's schemas; readers recognise them.
TEST(SchemaOf01, IsAnother) {
  const Ran judged =
      run_shell(kValidate + " " STRATA_SOURCE_DIR "/tests/data/saved_by_0.1/profile.json");
  EXPECT_EQ(judged.code, 1) << judged.text;
}

}  // namespace
