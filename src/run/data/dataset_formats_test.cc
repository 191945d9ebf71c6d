// Data sets of archives, ONNX tensors, images, and a folder for each input.
#include "data/test_dataset_folder.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;

class DatasetFormats : public DatasetFolder {};

TEST_F(DatasetFormats, ArchivesByName) {
  const Model model = two_inputs();
  for (const bool packed : {false, true}) {
    write_zip("a.npz", packed,
              {{"b.npy", npy({3, 2}, 10)}, {"a.npy", npy({3, 2}, 0)}, {"label.npy", npy({3}, 0)}});
    write_zip("b.npz", packed, {{"a.npy", npy({2}, 20)}, {"b.npy", npy({1, 2}, 30)}});
    const Dataset data = open(model);
    EXPECT_EQ(firsts(data), "0,10 2,12 4,14 20,30") << packed;
    EXPECT_EQ(firsts(data), "0,10 2,12 4,14 20,30") << "again";
    const auto back = data.sample(1);  // before the sample that was read last
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_THAT(back->at(0).dims, ElementsAre(1, 2));
    EXPECT_EQ(data.name(2), "a.npz[2:3]");
  }
  write_zip("b.npz", true, {{"a.npy", npy({2, 2}, 20)}, {"b.npy", npy({1, 2}, 30)}});
  EXPECT_THAT(error(model), HasSubstr("b.npz: holds 2 items for input \"a\" and 1 for \"b\""));
  write_zip("b.npz", true, {{"a.npy", npy({2, 2}, 20)}, {"c.npy", npy({1, 2}, 30)}});
  EXPECT_THAT(error(model), HasSubstr("b.npz: holds no array \"b\" for that input; it holds a, c"));
  write("b.npz", "no zip");
  EXPECT_THAT(error(model), HasSubstr("b.npz: not an .npz file"));
  write_zip("b.npz", true, {{"a.npy", npy({2}, 0)}, {"b.npy", npy({2}, 0).substr(0, 130)}});
  EXPECT_THAT(error(model), HasSubstr("b.npz: b.npy: its shape needs"));
}

TEST_F(DatasetFormats, TheOnlyArrayOfAnArchiveNeedsNoName) {
  write_zip("a.npz", true, {{"arr_0.npy", npy({2, 3}, 0)}});
  EXPECT_EQ(firsts(open(one_input("f32[1,3]"))), "0 3");
}

TEST_F(DatasetFormats, OnnxTestDataByNameOrNumber) {
  const Model model = two_inputs();
  for (int i = 0; i < 11; ++i) {
    const std::string set = "test_data_set_" + std::to_string(i) + "/";
    const auto value = static_cast<float>(i);
    const bool named = i == 1;  // names count if they are the model's
    write(set + "input_0.pb", pb({1, 2}, named ? 50 : value, named ? "b" : ""));
    write(set + "input_1.pb", pb({1, 2}, named ? 60 : 100 + value, named ? "a" : ""));
    write(set + "output_0.pb", "not looked at");
  }
  const Dataset data = open(model);
  EXPECT_EQ(firsts(data), "0,100 60,50 2,102 3,103 4,104 5,105 6,106 7,107 8,108 9,109 10,110");
  EXPECT_EQ(data.name(10), "test_data_set_10/input_0.pb");
  const auto set = Dataset::open((folder_ / "test_data_set_3").string(), model, {});
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(firsts(*set), "3,103");
  fs::remove(folder_ / "test_data_set_2/input_1.pb");
  EXPECT_THAT(error(model), HasSubstr("test_data_set_2/: holds 1 files input_M.pb and the model "
                                      "takes 2 inputs: a, b"));
  write("test_data_set_2/input_1.pb", "\x08");
  EXPECT_THAT(error(model), HasSubstr("test_data_set_2/input_1.pb: not an ONNX tensor"));
}

TEST_F(DatasetFormats, OnnxTensorsOfOneInput) {
  const Model model = one_input("f32[1,2]");
  write("a.pb", pb({2, 2}, 1, "anything"));
  write("b.pb", std::string("\x08\x02\x10\x01\x22\x08\0\0\0\x40\0\0\0\x40", 14));  // typed: 2, 2
  EXPECT_EQ(firsts(open(model)), "1 1 2");
  write("c.pb", pb({3}, 1, "x"));
  EXPECT_THAT(error(model), HasSubstr("c.pb: is f32 3 where"));
  write("c.pb", "\x42\x01");
  EXPECT_THAT(error(model), HasSubstr("c.pb: not an ONNX tensor"));
  write("c.pb", std::string("\x40\x01\x4a\x00", 4));  // a name that is a number
  EXPECT_THAT(error(model), HasSubstr("c.pb: not an ONNX tensor"));
}

TEST_F(DatasetFormats, AFolderForEachInput) {
  const Model model = model_of(
      "input img/in f32[1,3,9,13]\ninput b f32[1,2]\ny = Relu(img/in)\nz = Relu(b)\noutput y\n"
      "output z\n");
  copy_image("color.png", "img_in/cats/2.png");
  copy_image("interlaced.png", "img_in/dogs/1.png");
  write("b/1.npy", npy({2}, 5));
  write("b/2.npy", npy({2}, 6));
  const Dataset data = open(model, {.images = {.preset = "raw"}});
  const std::string red = "0";  // the upper left pixel
  EXPECT_EQ(firsts(data), red + ",5 " + red + ",6");
  EXPECT_EQ(data.name(1), "dogs/1.png");
  EXPECT_THAT(data.describe(), HasSubstr("2 samples, images, .npy files in "));
  write("b/3.npy", npy({2}, 6));
  EXPECT_THAT(error(model), HasSubstr("2 samples for input \"img/in\" and 3 for \"b\""));
  fs::remove_all(folder_ / "b");
  EXPECT_THAT(error(model), HasSubstr("has a folder img_in and none for input \"b\""));
}

TEST_F(DatasetFormats, ImagesInBatchesAndBrokenOnesWhenTheyAreRead) {
  const Model model = one_input("f32[2,3,9,13]");
  copy_image("color.png", "a.png");
  copy_image("palette.png", "b.jpg");  // recognised by its bytes, not its name
  copy_image("cmyk.jpg", "c.JPEG");
  write("d.png", "no image");
  const Dataset data = open(model, {.images = {.preset = "unit"}});
  EXPECT_EQ(data.count(), 2);
  EXPECT_THAT(dims(data), ElementsAre(2, 3, 9, 13));
  EXPECT_EQ(data.name(0), "a.png … b.jpg");
  EXPECT_EQ(data.describe(), "2 samples of 2 items, images in " + folder_.string() +
                                 ": resized to 13×9, scale 1/255, rgb, nchw");
  EXPECT_THAT(data.sample(1).error().message,
              HasSubstr("d.png: starts neither like a JPEG nor like a PNG file"));
  EXPECT_THAT(open(model, {.most_pixels = 100}).sample(0).error().message,
              HasSubstr("a.png: 13×9 pixels are more"));
  // Sizes that differ within a sample.
  const Model any = one_input("f32[2,3,H,W]");
  copy_image("large.png", "aa.png");
  EXPECT_THAT(open(any, {.images = {.preset = "raw"}}).sample(0).error().message,
              HasSubstr("aa.png: its items are 3×43×61 and those before it in the sample 3×9×13"));
  EXPECT_THAT(error(one_input("f32[1,10]")), HasSubstr("an image has 3 axes"));
}

}  // namespace
}  // namespace strata
