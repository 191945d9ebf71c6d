#include "strata/data/inputs.h"

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/libzip.h"
#include "data/npy.h"
#include "data/onnx_tensor.h"
#include "graph/text.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

using testing::HasSubstr;

// A .npy file as numpy.save writes it.
std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                const std::string& fortran = "False") {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': (" + shape + "), }";
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header + data;
}

std::string floats(const std::vector<float>& items) {
  return {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(float)};
}

Model model_of(const char* text) {
  auto model = model_from_text(text);
  EXPECT_TRUE(model) << model.error().message;
  EXPECT_TRUE(infer(*model));
  return std::move(*model);
}

class InputFiles : public testing::Test {
 protected:
  InputFiles()
      : folder_(std::filesystem::path(testing::TempDir()) /
                ("strata_inputs_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~InputFiles() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& bytes) {
    std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::filesystem::path folder_;
};

TEST(Npy, ElementsTypeAndShape) {
  const auto tensor = read_npy(npy("<f4", "2, 3", floats({1, 2, 3, 4, 5, 6})), "x.npy");
  ASSERT_TRUE(tensor) << tensor.error().message;
  EXPECT_EQ(tensor->dtype, DType::F32);
  EXPECT_THAT(tensor->dims, testing::ElementsAre(2, 3));
  float last = 0;
  std::memcpy(&last, tensor->data.data() + 20, 4);
  EXPECT_EQ(last, 6);
  EXPECT_TRUE(read_npy(npy("<i8", "", std::string(8, '\0')), "scalar.npy")->dims.empty());
  EXPECT_EQ(read_npy(npy("|b1", "3,", std::string(3, '\1')), "b.npy")->dtype, DType::Bool);
}

TEST(Npy, WrongFilesGetASentence) {
  const auto why = [](const std::string& bytes) {
    return read_npy(bytes, "x.npy").error().message;
  };
  EXPECT_THAT(why("hello"), HasSubstr("x.npy: not a .npy file"));
  EXPECT_THAT(why(npy("<f4", "2, 3", "abc")), HasSubstr("needs 24 bytes and it has 3"));
  EXPECT_THAT(why(npy("<f4", "4611686018427387904, 4", "")), HasSubstr("needs overflow bytes"));
  EXPECT_THAT(why(npy(">f4", "1,", "abcd")), HasSubstr(">f4"));
  EXPECT_THAT(why(npy("<f4", "1,", "abcd", "True")), HasSubstr("column order"));
  EXPECT_THAT(why(npy("<f4", "-1,", "abcd")), HasSubstr("not a list of sizes"));
  std::string longer = npy("<f4", "1,", "abcd");
  longer[8] = longer[9] = '\xff';
  EXPECT_THAT(why(longer), HasSubstr("longer than the file"));
}

TEST_F(InputFiles, ManyArraysInAnNpz) {
  const std::string path = (folder_ / "all.npz").string();
  const std::string a = npy("<f4", "1,", floats({7})), b = npy("<i8", "1,", std::string(8, '\0'));
  ASSERT_TRUE(libzip.open());
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  ASSERT_NE(archive, nullptr);
  for (const auto& [name, bytes] : {std::pair("a.npy", &a), {"b.npy", &b}})
    zip_file_add(archive, name, zip_source_buffer(archive, bytes->data(), bytes->size(), 0), 0);
  ASSERT_EQ(zip_close(archive), 0);
  const auto tensors = read_tensors(path);
  ASSERT_TRUE(tensors) << tensors.error().message;
  ASSERT_EQ(tensors->size(), 2u);
  EXPECT_EQ((*tensors)[0].name, "a");
  EXPECT_EQ((*tensors)[1].dtype, DType::I64);
  const Error broken = read_tensors(write("bad.npz", "no zip")).error();
  EXPECT_THAT(broken.message, HasSubstr("not an .npz"));
  EXPECT_EQ(broken.code, Code::FileBroken);
  EXPECT_EQ(broken.fields().name, "npz");
}

// dims 2, type float, name "x", raw data: written out by hand.
TEST(OnnxTensor, RawAndTypedElements) {
  const std::string raw("\x08\x02\x10\x01\x42\x01x\x4a\x08\0\0\x80\x3f\0\0\0\x40", 17);
  const auto tensor = read_onnx_tensor(raw, "x.pb");
  ASSERT_TRUE(tensor) << tensor.error().message;
  EXPECT_EQ(tensor->name, "x");
  EXPECT_THAT(tensor->dims, testing::ElementsAre(2));
  EXPECT_EQ(tensor->data.size(), 8u);
  const std::string typed("\x08\x02\x10\x07\x3a\x02\x05\x06", 8);  // int64_data: 5, 6
  const auto whole = read_onnx_tensor(typed, "i.pb");
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ(whole->data[8], std::byte{6});
  EXPECT_THAT(read_onnx_tensor("\x08\x02\x10\x01", "x.pb").error().message, HasSubstr("8 bytes"));
  EXPECT_FALSE(read_onnx_tensor("\xff\xff\xff", "x.pb"));
}

TEST_F(InputFiles, MatchedByNameOrOrderAndChecked) {
  const Model model = model_of("input a f32[2]\ninput b f32[1]\ny = Add(a, b)\noutput y\n");
  const std::string two = write("two.npy", npy("<f4", "2,", floats({1, 2})));
  const std::string one = write("one.npy", npy("<f4", "1,", floats({3})));
  const auto named = read_inputs(model, {"b=" + one, "a=" + two});
  ASSERT_TRUE(named) << named.error().message;
  EXPECT_EQ((*named)[0].name, "a");
  EXPECT_EQ((*named)[0].dims[0], 2);
  EXPECT_TRUE(read_inputs(model, {two, one}));
  EXPECT_THAT(read_inputs(model, {"a=" + one, "b=" + one}).error().message,
              HasSubstr("input \"a\" is f32 1 where the model takes f32 2"));
  EXPECT_THAT(read_inputs(model, {"a=" + two}).error().message,
              HasSubstr("no file gives input \"b\""));
  EXPECT_THAT(read_inputs(model, {"a=" + two, "b=" + one, "c=" + one}).error().message,
              HasSubstr("no input \"c\""));
  EXPECT_THAT(read_tensors("x.csv").error().message, HasSubstr(".npy, .npz and .pb"));
}

TEST(RandomInputs, SensibleByNameAndUse) {
  const Model model = model_of(
      "input image f32[1,3,8,8]\ninput ids i64[1,16]\ninput attention_mask i64[1,4]\n"
      "input position_ids i64[1,4]\nweight table f32[10,2]\n"
      "e = Gather(table, ids)\nr = Relu(image)\noutput e\noutput r\n");
  const auto inputs = random_inputs(model, 7);
  ASSERT_TRUE(inputs) << inputs.error().message;
  const auto whole = [&](std::size_t input, std::size_t i) {
    std::int64_t item = 0;
    std::memcpy(&item, (*inputs)[input].data.data() + 8 * i, 8);
    return item;
  };
  for (std::size_t i = 0; i < 3 * 64; ++i) {
    float pixel = 0;
    std::memcpy(&pixel, (*inputs)[0].data.data() + 4 * i, 4);
    EXPECT_GE(pixel, 0);
    EXPECT_LE(pixel, 1);
  }
  for (std::size_t i = 0; i < 16; ++i) EXPECT_LT(whole(1, i), 10);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(whole(2, i), 1);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(whole(3, i), static_cast<std::int64_t>(i));
  const auto again = random_inputs(model, 7);
  EXPECT_EQ((*again)[0].data, (*inputs)[0].data);
  EXPECT_NE((*random_inputs(model, 8))[0].data, (*inputs)[0].data);
}

TEST(RandomInputs, OpenSizesAreAskedFor) {
  const Model model = model_of("input x f32[N,3]\ny = Relu(x)\noutput y\n");
  const auto inputs = random_inputs(model, 0);
  ASSERT_FALSE(inputs);
  EXPECT_EQ(inputs.error().code, Code::OpenInput);
  EXPECT_EQ(inputs.error().message, "input \"x\" is N×3: to run the model, set N");
}

}  // namespace
}  // namespace strata
