// Models and plans that somebody made to deceive: what the program prints is text and nothing else,
// and it writes over nothing that is not its own.
#include <algorithm>
#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>

#include "base/utf8.h"
#include "base/visible.h"
#include "program_folder.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Hostile : public ProgramFolder {
 protected:
  static std::vector<std::string> models() {
    std::vector<std::string> paths;
    for (const auto& entry : fs::directory_iterator(STRATA_SOURCE_DIR "/tests/cli/models/hostile"))
      paths.push_back(entry.path().string());
    std::sort(paths.begin(), paths.end());
    return paths;
  }
  static std::string model(const std::string& name) {
    return STRATA_SOURCE_DIR "/tests/cli/models/hostile/" + name + ".onnx";
  }
  // UTF-8 without control characters, other than line breaks.
  static bool is_text(std::string_view text) {
    while (!text.empty()) {
      const CodePoint point = first_code_point(text);
      if (!point.valid || (point.code != '\n' && is_hidden(point.code))) return false;
      text.remove_prefix(point.bytes);
    }
    return true;
  }
};

TEST_F(Hostile, WhatIsPrintedIsText) {
  ASSERT_GE(models().size(), 13u);
  const char* commands[] = {"stat",
                            "stat --report tree",
                            "stat --report node --all",
                            "stat --report type",
                            "stat --exact --width 60",
                            "stat --arena --device-memory arena --dim N=2 --batch 2",
                            "stat --columns +input,+nonsense",
                            "payload",
                            "payload --cuts",
                            "stat --time --engine fake --runs 2"};
  for (const std::string& path : models())
    for (const char* command : commands)
      for (const char* format : {"table", "csv", "md", "json", "html"}) {
        const Ran ran = strata(std::string(command) + " " + path + " --format " + format);
        EXPECT_TRUE(ran.code >= 0 && ran.code <= 3) << command << " " << path << "\n" << ran.text;
        EXPECT_TRUE(is_text(ran.text)) << command << " " << path << " " << format << "\n"
                                       << visible_lines(ran.text);
      }
}

TEST_F(Hostile, SoIsWhatExplainsALayer) {
  for (const std::string& path : models())
    for (const char* count : {"strata", "fvcore"}) {
      const Ran ran = strata("explain " + path + " '*' --count " + count);
      EXPECT_TRUE(is_text(ran.text)) << path << "\n" << visible_lines(ran.text);
    }
}

TEST_F(Hostile, ANewLineInANameForgesNoRow) {
  for (const char* format : {"table", "csv"}) {
    const Ran ran = strata("stat --format " + std::string(format) + " " + model("nl"));
    EXPECT_THAT(ran.text, HasSubstr("row1\\x0aTotal   fake 999\\x0d\\x08\\x08")) << format;
  }
}

TEST_F(Hostile, ASpreadsheetRunsNothing) {
  const Ran ran = strata("stat --format csv --columns layer,flops " + model("csv"));
  EXPECT_EQ(ran.text,
            "layer,flops\n"
            "\"'=cmd|\"\"\",16\n"  // a slash parts names
            "'@SUM(1),16\n"
            "'+1+1,16\n"
            "'-2,16\n");
}

// ----- what is written

TEST_F(Hostile, TheModelIsNoPlaceForTheOutput) {
  const std::string before = (strata("zoo export squeezenet1_1 -o m.onnx"), read("m.onnx"));
  ASSERT_FALSE(before.empty());
  for (const char* command :
       {"stat m.onnx -o m.onnx", "stat m.onnx --format json -o m.onnx", "payload m.onnx -o m.onnx",
        "explain m.onnx features.0 -o m.onnx", "ops Conv -o m.onnx",
        "calibrate m.onnx --random --samples 1 --engine fake -o m.onnx",
        "quantize m.onnx --random --samples 8 --engine fake -o m.onnx",
        "bench m.onnx --engine fake --max-time 1s -o m.onnx"}) {
    const Ran ran = strata(command);
    EXPECT_EQ(ran.code, 2) << command << "\n" << ran.text;
    EXPECT_THAT(ran.text, HasSubstr("m.onnx is ")) << command;
    EXPECT_TRUE(read("m.onnx") == before) << command;
  }
}

TEST_F(Hostile, NorAreFilesOfOthers) {
  write("notes.json", "{\"mine\": 1}\n");
  write("notes.jsonl", "my notes");
  write("plan.toml", "models = [\"zoo:squeezenet1_1\"]\n[bench]\nengine = [\"fake\"]\n");
  constexpr const char* kSaveTwice =
      "stat zoo:squeezenet1_1 --save . && cp notes.json profile.json && "
      "strata stat zoo:squeezenet1_1 --save .";
  for (const char* command :
       {"stat zoo:squeezenet1_1 -o notes.json",
        "calibrate zoo:squeezenet1_1 --random --samples 1 --engine fake -o notes.json",
        "sweep plan.toml -o notes.jsonl", "sweep plan.toml -o notes.json", kSaveTwice}) {
    const Ran ran = strata(command);
    EXPECT_NE(ran.code, 0) << command << "\n" << ran.text;
    EXPECT_EQ(read("notes.json"), "{\"mine\": 1}\n") << command;
    EXPECT_EQ(read("notes.jsonl"), "my notes") << command;
  }
}

// A limit for the size of files stands for a full disk.
TEST_F(Hostile, AFullDiskLosesNoEarlierOutput) {
  for (const char* command :
       {"stat zoo:resnet18 --format json -o out", "stat zoo:resnet18 -o out",
        "payload zoo:resnet18 --format json -o out", "ops --format md -o out"}) {
    ASSERT_EQ(strata(command).code, 0) << command;
    const std::string before = read("out");
    const Ran ran = shell("ulimit -f 1; " STRATA_BINARY " " + std::string(command));
    EXPECT_EQ(ran.code, 1) << command;
    EXPECT_THAT(ran.text, HasSubstr("strata: out: cannot be written: File too large")) << command;
    EXPECT_TRUE(read("out") == before) << command;
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
    fs::remove(folder_ / "out");
  }
}

TEST_F(Hostile, AFullDeviceIsAnError) {
  const Ran ran = strata("stat zoo:resnet18 --format json -o /dev/full");
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.text, "strata: cannot write /dev/full: No space left on device\n");
}

// ----- plans

TEST_F(Hostile, ANameInAPlanRunsNothing) {
  write("plan.toml",
        "name = \"x\\ntouch injected\\n#\"\nmodels = [\"zoo:resnet18\"]\n[bench]\n"
        "engine = [\"fake\"]\n");
  for (const char* scheduler : {"slurm", "make"}) {
    const Ran ran = strata("sweep plan.toml --emit " + std::string(scheduler) + " >script");
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.text, HasSubstr("it has control characters"));
    shell("sh script; make -f script");
    EXPECT_FALSE(exists("injected"));
  }
}

TEST_F(Hostile, AKeyOfManyPartsIsASentence) {
  std::string key = "a";
  for (int i = 0; i < 150'000; ++i) key += ".a";
  for (const std::string& plan : {key + " = 1\n", "[" + key + "]\n", "x = {" + key + " = 1}\n"}) {
    write("plan.toml", plan);
    const Ran ran = strata("sweep plan.toml");
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ(ran.text, "strata: plan.toml:1: a key has more than 100 parts\n");
  }
}

}  // namespace
}  // namespace strata
