#include "strata/data/dataset.h"

#include <cstring>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/libzip.h"
#include "graph/text.h"
#include "strata/data/inputs.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const fs::path kImages = STRATA_SOURCE_DIR "/tests/data/images/";

// A .npy file as numpy.save writes it, with elements that count up.
std::string npy(const std::vector<std::int64_t>& dims, float first,
                const std::string& descr = "<f4") {
  std::string shape;
  std::size_t count = 1;
  for (const std::int64_t size : dims) {
    shape += std::to_string(size) + ",";
    count *= static_cast<std::size_t>(size);
  }
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + shape + ")}";
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  for (std::size_t i = 0; i < count; ++i, ++first)
    bytes.append(reinterpret_cast<const char*>(&first), sizeof first);
  return bytes;
}

// A TensorProto of floats: dims, type, name, raw data.
std::string pb(const std::vector<char>& dims, float value, const std::string& name) {
  std::string bytes;
  std::size_t count = 1;
  for (const char size : dims) {
    bytes += {'\x08', size};
    count *= static_cast<std::size_t>(size);
  }
  bytes += {'\x10', '\x01', '\x42', static_cast<char>(name.size())};
  bytes += name;
  bytes += {'\x4a', static_cast<char>(4 * count)};
  for (std::size_t i = 0; i < count; ++i)
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  return bytes;
}

Model model_of(const char* text) {
  auto model = model_from_text(text);
  EXPECT_TRUE(model) << model.error().message;
  EXPECT_TRUE(infer(*model));
  return std::move(*model);
}

Model one_input(const std::string& type) {
  return model_of(("input x " + type + "\ny = Relu(x)\noutput y\n").c_str());
}
Model two_inputs() {
  return model_of("input a f32[1,2]\ninput b f32[1,2]\ny = Add(a, b)\noutput y\n");
}

class DatasetFolder : public testing::Test {
 protected:
  DatasetFolder()
      : folder_(fs::path(testing::TempDir()) /
                (std::string("strata_") +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~DatasetFolder() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& bytes) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  void write_zip(const std::string& name, bool packed,
                 const std::vector<std::pair<std::string, std::string>>& files) const {
    ASSERT_TRUE(libzip.open());
    zip_t* archive = zip_open((folder_ / name).c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
    ASSERT_NE(archive, nullptr);
    for (const auto& [file, bytes] : files) {
      const zip_int64_t index = zip_file_add(
          archive, file.c_str(), zip_source_buffer(archive, bytes.data(), bytes.size(), 0), 0);
      zip_set_file_compression(archive, static_cast<zip_uint64_t>(index),
                               packed ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
    }
    ASSERT_EQ(zip_close(archive), 0);
  }
  void copy_image(const std::string& image, const std::string& as) const {
    fs::create_directories((folder_ / as).parent_path());
    fs::copy_file(kImages / image, folder_ / as);
  }

  Dataset open(const Model& model, const DatasetOptions& options = {}) const {
    auto dataset = Dataset::open(folder_.string(), model, options);
    if (!dataset) throw std::runtime_error(dataset.error().message);
    return std::move(*dataset);
  }
  std::string error(const Model& model, const DatasetOptions& options = {}) const {
    const auto dataset = Dataset::open(folder_.string(), model, options);
    return dataset ? "" : dataset.error().message;
  }

  fs::path folder_;
};

// The first element of each sample's inputs: `0 6 12`, `0,5 2,7`.
std::string firsts(const Dataset& dataset) {
  std::string out;
  for (std::int64_t i = 0; i < dataset.count(); ++i) {
    const auto sample = dataset.sample(i);
    if (!sample) return sample.error().message;
    if (i > 0) out += ' ';
    for (const HostTensor& tensor : *sample) {
      float first = 0;
      std::memcpy(&first, tensor.data.data(), sizeof first);
      out += (&tensor == &sample->front() ? "" : ",") + std::to_string(static_cast<int>(first));
    }
  }
  return out;
}

std::vector<std::int64_t> dims(const Dataset& dataset, std::int64_t i = 0) {
  const auto sample = dataset.sample(i);
  EXPECT_TRUE(sample) << sample.error().message;
  return sample->at(0).dims;
}

TEST_F(DatasetFolder, ArraysWithAndWithoutTheBatchAndSlices) {
  const Model model = one_input("f32[1,2,3]");
  write("a.npy", npy({2, 3}, 0));
  write("b.npy", npy({1, 2, 3}, 10));
  write("c.npy", npy({3, 2, 3}, 20));     // three samples
  write("d.npy", npy({2, 1, 2, 3}, 50));  // two samples with the batch
  const Dataset data = open(model);
  EXPECT_EQ(data.count(), 7);
  EXPECT_EQ(firsts(data), "0 10 20 26 32 50 56");
  EXPECT_THAT(dims(data), ElementsAre(1, 2, 3));
  EXPECT_EQ(data.name(0), "a.npy");
  EXPECT_EQ(data.name(3), "c.npy[1:2]");
  EXPECT_EQ(data.describe(), "7 samples, .npy files in " + folder_.string());
  EXPECT_THAT(data.notes(), IsEmpty());
  EXPECT_FALSE(data.random());
  EXPECT_FALSE(data.sample(7));
}

TEST_F(DatasetFolder, ItemsFillBatches) {
  const Model model = one_input("f32[4,2]");
  write("a.npy", npy({8, 2}, 0));
  for (const char* name : {"b.npy", "c.npy"}) write(name, npy({2, 2}, 100));
  write("d.npy", npy({2}, 7));
  const Dataset data = open(model);
  EXPECT_EQ(data.count(), 3);
  EXPECT_EQ(data.batch(), 4);
  EXPECT_EQ(firsts(data), "0 8 100");
  EXPECT_THAT(dims(data, 2), ElementsAre(4, 2));
  EXPECT_EQ(data.name(2), "b.npy … c.npy");
  EXPECT_THAT(data.notes(), ElementsAre("the last 1 of 13 items do not fill a batch of 4"));
  write("e.npy", npy({3, 2}, 0));
  EXPECT_THAT(error(model), HasSubstr("e.npy: is f32 3×2 where input \"x\" takes f32 4×2; 3 items "
                                      "neither fill samples of 4 nor divide one"));
}

TEST_F(DatasetFolder, OpenSizesAreTheFiles) {
  const Model model = one_input("f32[N,L]");
  write("a.npy", npy({2, 3}, 0));
  write("b.npy", npy({5}, 10));
  const Dataset data = open(model);
  EXPECT_EQ(firsts(data), "0 3 10");
  EXPECT_THAT(dims(data, 1), ElementsAre(1, 3));
  EXPECT_THAT(dims(data, 2), ElementsAre(1, 5));
  const Model scalar = one_input("f32[]");
  write("a.npy", npy({}, 4));
  EXPECT_EQ(firsts(open(scalar)), "4 10 11 12 13 14");
  EXPECT_THAT(dims(open(scalar)), IsEmpty());
  // Three channels and no batch: the array is not cut into slices.
  const Model image = one_input("f32[3,H,W]");
  fs::remove(folder_ / "b.npy");
  write("a.npy", npy({3, 2, 2}, 1));
  EXPECT_THAT(dims(open(image)), ElementsAre(3, 2, 2));
  write("a.npy", npy({1, 2, 2}, 1));
  EXPECT_THAT(error(image), HasSubstr("a.npy: is f32 1×2×2 where input \"x\" takes f32 3×H×W"));
}

TEST_F(DatasetFolder, InputsWithoutElementsTakeFilesWithout) {
  write("a.npy", npy({3, 0, 5}, 0));
  write("b.npy", npy({3, 0, 5}, 0));
  const Dataset data = open(one_input("f32[3,0,5]"));
  EXPECT_EQ(data.count(), 2);
  EXPECT_THAT(dims(data, 1), ElementsAre(3, 0, 5));
  const Model sequence = model_of("input s seq(f32[2])\ny = SequenceLength(s)\noutput y\n");
  EXPECT_THAT(error(sequence), HasSubstr("input \"s\" is no tensor"));
}

TEST_F(DatasetFolder, FirstSpreadAndOffset) {
  const Model model = one_input("f32[1,1]");
  write("all.npy", npy({10, 1}, 0));
  const auto chosen = [&](std::int64_t samples, std::int64_t offset, bool spread) {
    return firsts(open(model, {.samples = samples, .offset = offset, .spread = spread}));
  };
  EXPECT_EQ(chosen(3, 0, false), "0 1 2");
  EXPECT_EQ(chosen(3, 8, false), "8 9");
  EXPECT_EQ(chosen(0, 7, false), "7 8 9");
  EXPECT_EQ(chosen(3, 0, true), "0 3 6");
  EXPECT_EQ(chosen(3, 2, true), "2 5 8");
  EXPECT_EQ(chosen(3, 7, true), "7");
  EXPECT_EQ(chosen(20, 0, true), "0 1 2 3 4 5 6 7 8 9");
  const Dataset data = open(model, {.samples = 3, .offset = 7, .spread = true});
  EXPECT_EQ(data.describe(),
            "1 of 10 samples from number 7 on, one in 3, .npy files in " + folder_.string());
  EXPECT_THAT(data.notes(), ElementsAre("3 samples were asked for and there are 1"));
  EXPECT_THAT(data.facts(), testing::Contains(testing::Pair("total", "10")));
  EXPECT_THAT(error(model, {.offset = 10}), HasSubstr("offset 10: there are 10 samples"));
  EXPECT_THAT(error(model, {.samples = -1}), HasSubstr("cannot be negative"));
}

TEST_F(DatasetFolder, StrangeFilesArePassedOver) {
  const Model model = one_input("f32[1,1]");
  write("sub/b.npy", npy({1}, 2));
  write("a.NPY", npy({1}, 1));
  write("README", "text");
  write("sub/notes.txt", "text");
  write(".DS_Store", "x");
  write(".git/c.npy", npy({1}, 3));
  const Dataset data = open(model);
  EXPECT_EQ(firsts(data), "1 2");
  EXPECT_THAT(data.notes(), ElementsAre("passed over in " + folder_.string() +
                                        "/: files 2 hidden and 2 of other kinds (README, …)"));
}

TEST_F(DatasetFolder, WhatIsWrongIsSaid) {
  const Model model = one_input("f32[1,2]");
  EXPECT_THAT(error(model), HasSubstr("/: holds none of .npy, .npz, .pb, JPEG and PNG files"));
  write("README", "text");
  EXPECT_THAT(error(model), HasSubstr("but files 1 of other kinds (README)"));
  write("a.npy", npy({3}, 0));
  EXPECT_THAT(error(model), HasSubstr("a.npy: is f32 3 where input \"x\" takes f32 1×2, with or "
                                      "without the first axis"));
  write("a.npy", npy({1, 2}, 0, "<i4"));
  EXPECT_THAT(error(model),
              HasSubstr("is i32 1×2 where input \"x\" takes f32 1×2; save it as f32"));
  write("a.npy", npy({1, 2}, 0).substr(0, 130));
  EXPECT_THAT(error(model), HasSubstr("its shape needs 8 bytes and it has 2"));
  write("a.npy", npy({0, 2}, 0));
  EXPECT_THAT(error(model), HasSubstr("it has no elements"));
  write("a.npy", npy({2}, 0));
  write("b.png", "");
  EXPECT_THAT(error(model), HasSubstr("holds 1 .npy files (a.npy) and 1 images (b.png); keep one"));
  fs::remove(folder_ / "b.png");
  fs::create_symlink("nowhere", folder_ / "c.npy");
  EXPECT_THAT(error(model), HasSubstr("c.npy: there is no such file"));
  const auto elsewhere = [&](const char* path) {
    return Dataset::open(path, model, {}).error().message;
  };
  EXPECT_THAT(elsewhere("/nowhere/at/all"), HasSubstr("no such folder or file"));
  EXPECT_THAT(elsewhere("/dev/null"), HasSubstr("data are .npy"));
  EXPECT_THAT(error(two_inputs()),
              HasSubstr("holds .npy files and the model takes 2 inputs (a, b"));
  const Model none = model_of("weight w f32[2]\ny = Relu(w)\noutput y\n");
  EXPECT_THAT(error(none), HasSubstr("takes no inputs"));
}

TEST_F(DatasetFolder, ASingleFile) {
  const Model model = one_input("f32[1,1]");
  write("all.npy", npy({3, 1}, 5));
  const auto data = Dataset::open((folder_ / "all.npy").string(), model, {});
  ASSERT_TRUE(data) << data.error().message;
  EXPECT_EQ(firsts(*data), "5 6 7");
}

TEST_F(DatasetFolder, ArchivesByName) {
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

TEST_F(DatasetFolder, TheOnlyArrayOfAnArchiveNeedsNoName) {
  write_zip("a.npz", true, {{"arr_0.npy", npy({2, 3}, 0)}});
  EXPECT_EQ(firsts(open(one_input("f32[1,3]"))), "0 3");
}

TEST_F(DatasetFolder, OnnxTestDataByNameOrNumber) {
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

TEST_F(DatasetFolder, OnnxTensorsOfOneInput) {
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

TEST_F(DatasetFolder, AFolderForEachInput) {
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

TEST_F(DatasetFolder, ImagesInBatchesAndBrokenOnesWhenTheyAreRead) {
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

TEST(RandomDataset, IsMarkedAndCountsUp) {
  const Model model = one_input("f32[2,3]");
  const auto data =
      Dataset::open("", model, {.samples = 3, .offset = 1, .random = true, .seed = 5});
  ASSERT_TRUE(data) << data.error().message;
  EXPECT_TRUE(data->random());
  EXPECT_EQ(data->count(), 3);
  EXPECT_EQ(data->sample(2)->at(0).data, random_inputs(model, 8)->at(0).data);
  EXPECT_EQ(data->describe(),
            "3 random samples of 2 items from number 1 on, seed 5: made up, not data");
  EXPECT_EQ(data->name(2), "random 3");
  EXPECT_THAT(data->facts(), testing::Contains(testing::Pair("kind", "random")));
  EXPECT_THAT(data->labels({"l", {}, {1}}).error().message, HasSubstr("have no labels"));
  EXPECT_EQ(Dataset::open("", model, {.random = true}).error().code, Code::EndlessSamples);
  const Model open = one_input("f32[N,3]");
  EXPECT_EQ(Dataset::open("", open, {.samples = 1, .random = true}).error().code, Code::OpenInput);
}

TEST_F(DatasetFolder, LabelsInOrderAndByName) {
  const Model model = one_input("f32[2,1]");
  write("cats/1.npy", npy({1}, 0));
  write("cats/2.npy", npy({1}, 1));
  write("dogs/1.npy", npy({1}, 2));
  write("dogs/3.npy", npy({1}, 3));
  const auto labels = [&](const std::string& text, const DatasetOptions& options = {}) {
    const fs::path file = fs::path(testing::TempDir()) / "strata_labels.csv";
    std::ofstream(file) << text;
    const auto given = read_labels(file.string());
    fs::remove(file);
    if (!given) return given.error().message;
    const auto matched = open(model, options).labels(*given);
    return matched ? testing::PrintToString(*matched) : matched.error().message;
  };
  EXPECT_EQ(labels("4\n5\n6\n7\n"), "{ 4, 5, 6, 7 }");
  EXPECT_EQ(labels("label\r\n4\r\n5\r\n6\r\n7"), "{ 4, 5, 6, 7 }");
  EXPECT_EQ(labels("4\n5\n6\n7\n", {.offset = 1}), "{ 6, 7 }");
  EXPECT_EQ(labels("name,label\ndogs/3.npy,1\n3.npy,9\n\"cats/1\", 2\n./dogs/1.npy,3\n2 -4\n"),
            "{ 2, -4, 3, 1 }");
  EXPECT_THAT(labels("4\n5\n"), HasSubstr("holds 2 labels and the data 4 items"));
  EXPECT_THAT(labels("cats/1,0\n"), HasSubstr("has no label for cats/2.npy"));
  EXPECT_THAT(labels("1.npy,0\n2.npy,0\n3.npy,0\n"), HasSubstr("could be of several files"));
  EXPECT_THAT(labels("1,0\n1,2\n"), HasSubstr("\"1\" has the labels 0 and 2"));
  EXPECT_THAT(labels("4\nfive\n"), HasSubstr("line 2: \"five\" is neither a label"));
  EXPECT_THAT(labels("4\na,5\n"), HasSubstr("line 2: \"a,5\""));
  EXPECT_THAT(labels("\n"), HasSubstr("holds no labels"));
  EXPECT_THAT(read_labels("/nowhere").error().message, HasSubstr("no such file"));
  write("cats/2.npy", npy({2, 1}, 1));
  EXPECT_THAT(labels("cats/1,0\ncats/2,0\n1,0\n3,0\n"), HasSubstr("holds several items"));
}

}  // namespace
}  // namespace strata
