// Bad input to calibrate, sensitivity and quantize gives one sentence and exit code 1, and leaves
// nothing behind.
#include <cmath>
#include <cstring>
#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "program_folder.h"
#include "strata/build/builder.h"
#include "strata/read/read.h"
#include "strata/write/onnx.h"

namespace strata {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string kDigits = STRATA_SOURCE_DIR "/tests/models/digits/";
const std::string kModel = kDigits + "digits.onnx";
const std::string kImages = kDigits + "images.npz";

// An .npy file of f32.
std::string npy(const std::string& shape, const std::vector<float>& elements) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize((header.size() + 11 + 63) / 64 * 64 - 11, ' ');
  header += '\n';
  const auto size = static_cast<std::uint16_t>(header.size());
  std::string out = "\x93NUMPY";
  out += '\1';
  out += '\0';
  out.append(reinterpret_cast<const char*>(&size), 2);
  out += header;
  out.append(reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(float));
  return out;
}

class QuantizeInput : public ProgramFolder {
 protected:
  // Samples in `data/`, one file each.
  void sample(const std::string& name, const std::string& bytes) {
    std::filesystem::create_directories(folder_ / "data");
    write("data/" + name, bytes);
  }
  void sample(const std::string& name, float everywhere) {
    sample(name, npy("1, 8, 8", std::vector<float>(64, everywhere)));
  }
  std::vector<std::string> files() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      if (entry.path().filename() != "data") found.push_back(entry.path().filename().string());
    return found;
  }
  // Each of the three commands with -o.
  void all_refuse(const std::string& model_and_data, const testing::Matcher<std::string>& text) {
    for (const char* command : {"calibrate", "sensitivity", "quantize"}) {
      const auto before = files().size();
      const Ran ran = strata(std::string(command) + " " + model_and_data + " -o " +
                             (std::string(command) == "quantize" ? "out.onnx" : "out.json"));
      EXPECT_EQ(ran.code, 1) << command << ": " << ran.text;
      EXPECT_THAT(ran.text, text) << command;
      EXPECT_EQ(files().size(), before) << command;
    }
  }
};

TEST_F(QuantizeInput, ArraysThatDoNotFit) {
  sample("a.npy", npy("1, 9, 9", std::vector<float>(81, 1)));
  all_refuse(kModel + " --data data", AllOf(HasSubstr("a.npy"), HasSubstr("1×9×9")));
}

TEST_F(QuantizeInput, AnInputThatIsMissing) {
  std::filesystem::create_directories(folder_ / "data");
  ASSERT_EQ(shell("cp " + kImages + " data/x.npz && /usr/bin/env true").code, 0);
  // The zoo's input is called `input`, and the archive has `image`.
  const Ran ran = strata("calibrate 'zoo:squeezenet1_1?resolution=64' --data data -o out.json");
  EXPECT_EQ(ran.code, 1) << ran.text;
  EXPECT_THAT(ran.text, AllOf(HasSubstr("x.npz"), HasSubstr("\"input\"")));
  EXPECT_TRUE(files().empty());
}

TEST_F(QuantizeInput, NanIsNamedByLayer) {
  sample("a.npy", 0.5F);
  sample("b.npy", std::nanf(""));
  all_refuse(kModel + " --data data --samples 2",
             AllOf(HasSubstr("sample 1 (b.npy)"), HasSubstr("input \"image\""), HasSubstr("NaN"),
                   HasSubstr("--allow-nonfinite")));
}

TEST_F(QuantizeInput, InfinityIsNamedByLayer) {
  sample("a.npy", 3e38F);  // finite; its sums are not
  all_refuse(kModel + " --data data --samples 1",
             AllOf(HasSubstr("layer features.0.0"), HasSubstr("infin"), HasSubstr("a.npy")));
}

// Zeros have a range without width, which is no reason to stop.
TEST_F(QuantizeInput, ConstantTensors) {
  for (const char* name : {"a.npy", "b.npy", "c.npy"}) sample(name, 0.0F);
  const Ran calibrated =
      strata("calibrate " + kModel + " --data data --samples 2 --notes -o r.json");
  EXPECT_EQ(calibrated.code, 0) << calibrated.text;
  EXPECT_THAT(calibrated.text, HasSubstr("the same in every element: input"));
  const Ran made = strata("quantize " + kModel + " --ranges r.json --no-time -o out.onnx");
  EXPECT_EQ(made.code, 0) << made.text;
  EXPECT_TRUE(exists("out.onnx"));
  EXPECT_EQ(strata("stat out.onnx").code, 0);
}

TEST_F(QuantizeInput, StrangeFilesArePassedOverOrNamed) {
  for (const char* name : {"a.npy", "b.npy", "c.npy"}) sample(name, 0.5F);
  sample("notes.txt", "not a sample");
  sample(".hidden", "");
  std::filesystem::create_directories(folder_ / "data/empty");
  const Ran passed = strata("calibrate " + kModel + " --data data");
  EXPECT_EQ(passed.code, 0) << passed.text;
  EXPECT_THAT(passed.text, AllOf(HasSubstr("note:"), HasSubstr("notes.txt")));
  EXPECT_THAT(passed.text, HasSubstr("3 samples"));
  sample("d.npy", "\x93NUMPY");
  all_refuse(kModel + " --data data", HasSubstr("d.npy"));
}

TEST_F(QuantizeInput, BrokenImages) {
  sample("a.png", std::string("\x89PNG\r\n\x1a\n", 8));
  all_refuse("'zoo:squeezenet1_1?resolution=64' --data data", HasSubstr("a.png"));
}

TEST_F(QuantizeInput, AModelThatIsQuantizedAlready) {
  ASSERT_EQ(strata("quantize " + kModel + " --random --no-time -o int8.onnx").code, 0);
  all_refuse("int8.onnx --random --samples 1",
             AllOf(HasSubstr("int8.onnx: the model is quantized already"),
                   HasSubstr("give the float model")));
}

TEST_F(QuantizeInput, AModelWithNothingToQuantize) {
  build::Builder net("Net");
  net.output("y", net.relu(net.input("x", {1, 3, 8, 8})));
  auto network = std::move(net).finish();
  ASSERT_TRUE(network) << network.error().message;
  std::filesystem::create_directories(folder_ / "data");
  ASSERT_TRUE(write_onnx(network->model, (folder_ / "data/relu.onnx").string()));
  for (const char* command : {"sensitivity", "quantize"}) {
    const Ran ran = strata(std::string(command) + " data/relu.onnx --random --samples 1 -o out");
    EXPECT_EQ(ran.code, 1) << ran.text;
    EXPECT_THAT(ran.text, AllOf(HasSubstr("data/relu.onnx"), HasSubstr("quantize")));
    EXPECT_TRUE(files().empty());
  }
}

// A file that does not fit on the disk leaves nothing, and what was there before stays.
TEST_F(QuantizeInput, AFullDisk) {
  const std::string data = kModel + " --data " + kImages + " --samples 4 ";
  const std::string earlier = "\x08\x07 a model";  // version 7
  write("out.onnx", earlier);
  const std::vector<std::string> commands = {"calibrate " + data + "-o out.json",
                                             "sensitivity " + data + "-o out.json",
                                             "quantize " + data + "--no-time -o out.onnx"};
  for (const std::string& command : commands) {
    const Ran ran = shell("ulimit -f 8; " STRATA_BINARY " " + command);
    EXPECT_EQ(ran.code, 1) << command << ": " << ran.text;
    EXPECT_THAT(ran.text, HasSubstr("cannot be written: File too large")) << command;
    EXPECT_THAT(files(), testing::ElementsAre("out.onnx")) << command;
    EXPECT_EQ(read("out.onnx"), earlier);
  }
}

TEST_F(QuantizeInput, AFolderThatIsNotThereIsSaidBeforeTheWork) {
  const Ran ran = strata("quantize " + kModel + " --random --samples 1000000000 -o no/out.onnx");
  EXPECT_EQ(ran.code, 1) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("no/out.onnx: cannot be written"));
}

TEST_F(QuantizeInput, RangesThatDoNotFit) {
  ASSERT_EQ(strata("calibrate 'zoo:squeezenet1_1?resolution=64' --random --samples 1 "
                   "--engine fake -o other.json")
                .code,
            0);
  write("text.json", "ranges");
  write("empty.json", "{}");
  const auto refused = [&](const std::string& ranges, const std::string& sentence) {
    const Ran ran = strata("quantize " + kModel + " --data " + kImages + " --ranges " + ranges +
                           " -o out.onnx");
    EXPECT_EQ(ran.code, 1) << ran.text;
    EXPECT_THAT(ran.text, HasSubstr(sentence));
    EXPECT_FALSE(exists("out.onnx"));
    EXPECT_FALSE(exists("out.exclude.txt"));
  };
  refused("other.json", "other.json: its ranges are of another network, zoo:squeezenet1_1");
  refused("text.json", "text.json: it is not JSON");
  refused("empty.json", "empty.json: it is not one");
  refused("nowhere.json", "nowhere.json: there is no such file");
}

// Tensors are removed from a file of the right network.
TEST_F(QuantizeInput, RangesThatLackTensors) {
  ASSERT_EQ(strata("calibrate " + kModel + " --data " + kImages + " --samples 4 -o all.json").code,
            0);
  auto calibration = nlohmann::ordered_json::parse(read("all.json"));
  const std::string name = calibration["tensors"][3]["name"];
  calibration["tensors"].erase(3);
  write("less.json", calibration.dump());
  const Ran ran = strata("quantize " + kModel + " --ranges less.json -o out.onnx");
  EXPECT_EQ(ran.code, 1) << ran.text;
  EXPECT_THAT(ran.text, AllOf(HasSubstr("lack the tensor \"" + name + "\""),
                              HasSubstr("`strata calibrate`")));
  EXPECT_FALSE(exists("out.onnx"));
}

TEST_F(QuantizeInput, WithoutWeights) {
  all_refuse(STRATA_SOURCE_DIR "/tests/models/resnet50.onnx --random --samples 1",
             HasSubstr("stripped of its weights: the stored tensor \"conv1.weight\""));
}

// The mistake is found before the samples are read.
TEST_F(QuantizeInput, ALayerThatIsNotThere) {
  const Ran ran =
      strata("quantize " + kModel + " --data no_such_folder --keep-float nosuch -o out");
  EXPECT_EQ(ran.code, 2) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("nosuch"));
  EXPECT_TRUE(files().empty());
}

// In a large folder 32 samples give ranges; in a small one fewer, so that some are left to judge
// on.
TEST_F(QuantizeInput, AsManySamplesAsThereAre) {
  const std::string no_time = " --no-time --notes -o out.onnx ";
  const Ran large = strata("quantize " + kModel + " --data " + kImages + no_time);
  ASSERT_EQ(large.code, 0) << large.text;
  EXPECT_THAT(large.text, AllOf(HasSubstr("of 32 samples"), HasSubstr("16 samples held out")));
  for (int i = 0; i < 6; ++i) sample(std::to_string(i) + ".npy", 0.1F * static_cast<float>(i));
  const Ran small = strata("quantize " + kModel + " --data data" + no_time);
  ASSERT_EQ(small.code, 0) << small.text;
  EXPECT_THAT(small.text, AllOf(HasSubstr("of 3 samples"), HasSubstr("3 samples held out")));
}

// Weights in a file beside the model are read, counted, and part of what is written.
TEST_F(QuantizeInput, WeightsInAnotherFile) {
  auto model = read_model(kModel);
  ASSERT_TRUE(model) << model.error().message;
  WriteOptions options;
  options.max_file = 40000;
  options.min_outside = 64;
  const Status written = write_onnx(*model, (folder_ / "m.onnx").string(), options);
  ASSERT_TRUE(written) << written.error().message;
  ASSERT_TRUE(exists("m.onnx.data"));
  const auto bytes = std::filesystem::file_size(folder_ / "m.onnx") +
                     std::filesystem::file_size(folder_ / "m.onnx.data");
  const std::string data = " --data " + kImages + " --samples 32 --no-time --format json ";
  const Ran outside = strata("quantize m.onnx" + data + "-o a.onnx");
  const Ran inside = strata("quantize " + kModel + data + "-o b.onnx");
  ASSERT_EQ(outside.code, 0) << outside.text;
  ASSERT_EQ(inside.code, 0) << inside.text;
  EXPECT_THAT(outside.text, HasSubstr("\"float_bytes\": " + std::to_string(bytes)));
  EXPECT_FALSE(exists("a.onnx.data"));
  std::filesystem::remove(folder_ / "m.onnx.data");
  EXPECT_EQ(strata("stat a.onnx --batch 1 --time --runs 1").code, 0);
  const Ran gone = strata("quantize m.onnx" + data + "-o c.onnx");
  EXPECT_EQ(gone.code, 1) << gone.text;
  EXPECT_THAT(gone.text, HasSubstr("m.onnx.data"));
  EXPECT_FALSE(exists("c.onnx"));
}

}  // namespace
}  // namespace strata
