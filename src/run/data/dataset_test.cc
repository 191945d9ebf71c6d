#include "strata/data/dataset.h"

#include "data/test_dataset_folder.h"
#include "strata/data/inputs.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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
  EXPECT_THAT(error(sequence), HasSubstr("input \"s\" is not a tensor"));
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
