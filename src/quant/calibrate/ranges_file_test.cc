#include "strata/calibrate/ranges_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "calibrate/packed_counts.h"
#include "calibrate/test_samples.h"

namespace strata {
namespace {

using Json = nlohmann::ordered_json;

Calibration small_calibration() {
  Calibration calibration = {.model = "net.onnx", .hash = "00ff", .samples = 2};
  Sketch plain;
  EXPECT_TRUE(plain.add(draw(distributions()[0], 5000)));
  Sketch odd({.channels = 2});
  EXPECT_TRUE(odd.add(std::vector<float>{0, HUGE_VALF, -3.25F, std::nanf(""), 1e-40F, -HUGE_VALF}));
  calibration.tensors = {
      {"conv1", "features.0", plain}, {"ö\"\n", "", odd}, {"none", "x", Sketch()}};
  calibration.source = {{"data", "/photos"}, {"offset", "3"}};
  return calibration;
}

std::string sentence(const Json& json) {
  const auto read = calibration_from_json(json.dump(), "a.json");
  return read ? "read" : read.error().message;
}

TEST(RangesFile, ComesBackAsItWas) {
  const Calibration calibration = small_calibration();
  const std::string json = calibration_to_json(calibration);
  const auto read = calibration_from_json(json, "a.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, calibration);
  EXPECT_EQ(calibration_to_json(*read), json);
}

TEST(RangesFile, TakesTensOfKilobytesForATensor) {
  Calibration calibration = small_calibration();
  calibration.tensors.resize(1, calibration.tensors[0]);
  ASSERT_TRUE(calibration.tensors[0].sketch.add(draw(distributions()[0], 2000000)));
  EXPECT_LT(calibration_to_json(calibration).size(), 40000u);
}

TEST(RangesFile, IsWrittenWholeOrNotAtAll) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "ranges_file_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string path = folder / "ranges.json";
  const Calibration calibration = small_calibration();
  ASSERT_TRUE(write_calibration(calibration, path));
  EXPECT_EQ(read_calibration(path).value(), calibration);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  EXPECT_FALSE(write_calibration(calibration, folder / "not there" / "ranges.json"));
  EXPECT_FALSE(read_calibration(folder / "other.json"));
}

TEST(RangesFile, SourceIsAnObjectOfTexts) {
  Json json = Json::parse(calibration_to_json(small_calibration()));
  json["source"]["offset"] = 3;
  EXPECT_EQ(sentence(json), "calibration a.json: its source has a \"offset\" that is not text");
  json["source"] = "photos";
  EXPECT_EQ(sentence(json), "calibration a.json: it has a \"source\" that is not an object");
  json.erase("source");
  EXPECT_EQ(sentence(json), "read");
}

TEST(RangesFile, MergesRunsOfOneNetwork) {
  const Calibration half = small_calibration();
  Calibration both = half;
  ASSERT_TRUE(merge(both, half));
  EXPECT_TRUE(both.source.empty());
  EXPECT_EQ(both.samples, 4u);
  EXPECT_EQ(both.tensors[0].sketch.count(), 10000u);
  EXPECT_FALSE(both.random);

  Calibration random = half;
  random.random = true;
  std::swap(random.tensors[0], random.tensors[1]);
  ASSERT_TRUE(merge(both, random));
  EXPECT_TRUE(both.random);
  EXPECT_EQ(both.tensors[0].sketch.count(), 15000u);

  const Calibration before = both;
  Calibration other = half;
  other.hash = "11";
  other.model = "other.onnx";
  EXPECT_EQ(merge(both, other).error().message,
            "the calibrations cannot be merged: \"net.onnx\" and \"other.onnx\" are different "
            "networks");
  other = half;
  other.tensors.pop_back();
  EXPECT_EQ(merge(both, other).error().message,
            "the calibrations cannot be merged: only one has the tensor \"none\"");
  EXPECT_EQ(merge(other, half).error().message,
            "the calibrations cannot be merged: only one has the tensor \"none\"");
  other = half;
  other.tensors[2].sketch = Sketch({.channels = 4});
  EXPECT_EQ(merge(both, other).error().message,
            "the calibrations cannot be merged: tensor \"none\": a sketch of 0 channels and one "
            "of 4 cannot be merged");
  EXPECT_EQ(both, before);
}

TEST(RangesFile, SaysWhatIsWrong) {
  EXPECT_EQ(calibration_from_json("{\"kind\":", "a.json").error().message,
            "calibration a.json: it is not JSON");
  EXPECT_EQ(sentence({{"kind", "recipe"}}), "calibration a.json: it is not one");
  const Json good = Json::parse(calibration_to_json(small_calibration()));
  const auto with = [&](const char* where, const Json& value) {
    Json json = good;
    json[Json::json_pointer(where)] = value;
    return sentence(json);
  };
  EXPECT_EQ(with("/schema", 2), "calibration a.json: it has schema 2, and this strata reads 1");
  EXPECT_EQ(with("/samples", -1), "calibration a.json: it has a negative \"samples\"");
  EXPECT_EQ(with("/tensors", "many"),
            "calibration a.json: it has a \"tensors\" that is not a list");
  EXPECT_EQ(with("/tensors/1", 7), "calibration a.json: tensor 2 is not an object");
  EXPECT_EQ(with("/tensors/2/name", "conv1"),
            "calibration a.json: tensor \"conv1\" is there twice");
  const std::string of_first = "calibration a.json: tensor \"conv1\" is wrong: ";
  EXPECT_EQ(with("/tensors/0/sketch", Json::array()),
            of_first + "a \"sketch\" that is not an object");
  EXPECT_EQ(with("/tensors/0/sketch/zeros", -5), of_first + "a \"zeros\" that is not a count");
  EXPECT_EQ(with("/tensors/0/sketch/count", 6),
            of_first + "a \"count\" of 6 and 5000 elements in its bins");
  EXPECT_EQ(with("/tensors/0/sketch/max", 1e300),
            of_first + "a \"max\" that is not a number of 32 bits");
  EXPECT_EQ(with("/tensors/0/sketch/max", 77),
            of_first + "the sketch has a minimum and maximum that do not fit its counts");
  EXPECT_EQ(with("/tensors/0/sketch/bins", "a?=="), of_first + "counts that are not base64");
}

TEST(RangesFile, RefusesEveryTruncation) {
  const std::string json = calibration_to_json(small_calibration());
  for (std::size_t length = 0; length + 2 < json.size(); length += 97)
    EXPECT_FALSE(calibration_from_json(json.substr(0, length), "a"));
  Json parsed = Json::parse(json);
  Json& bins = parsed["tensors"][0]["sketch"]["bins"];
  const std::string all = bins;
  for (std::size_t length = 0; length < all.size(); length += 89) {
    bins = all.substr(0, length);
    EXPECT_NE(sentence(parsed), "read");
  }
}

TEST(PackedCounts, AreAsDescribed) {
  PagedCounters counters;
  counters.add(0, 1);
  counters.add(300, 128);
  // 1 1, 300 = 0x2c + 2·128, 128 = 0 + 1·128: 01 01 ac 02 80 01
  EXPECT_EQ(packed_counts(counters), "AQGsAoAB");
  EXPECT_EQ(unpacked_counts("AQGsAoAB").value(), counters);
  EXPECT_EQ(unpacked_counts("").value(), PagedCounters());
  counters.add(73727, (std::uint64_t{1} << 62) + 5);
  EXPECT_EQ(unpacked_counts(packed_counts(counters)).value(), counters);
}

TEST(PackedCounts, RefuseWhatIsNone) {
  // 80: a number that does not end; 01: a position without a count.
  EXPECT_EQ(unpacked_counts("gA==").error().message, "counts that end too early");
  EXPECT_EQ(unpacked_counts("AQ==").error().message, "counts that end too early");
  // 00 01: a distance of zero; 81 c0 04 01: position 73728.
  EXPECT_EQ(unpacked_counts("AAE=").error().message, "counts at a position that there is not");
  EXPECT_EQ(unpacked_counts("gcAEAQ==").error().message, "counts at a position that there is not");
  EXPECT_EQ(unpacked_counts("AQA=").error().message,
            "a count of zero where only others are written");
  // A number of 70 bits.
  EXPECT_FALSE(unpacked_counts("Af///////////38="));
  EXPECT_FALSE(unpacked_counts("AQG"));
  EXPECT_FALSE(unpacked_counts("===="));
}

// The expected bins were decoded from the file's own text by a few lines of Python that follow
// docs/calibration-file.md.
TEST(RangesFile, TheFileOf01IsRead) {
  const auto read = read_calibration(STRATA_SOURCE_DIR "/tests/data/saved_by_0.1/ranges.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->model, "tests/models/digits/digits.onnx");
  EXPECT_EQ(read->hash, "ef2fdb3717dc8b99");
  EXPECT_EQ(read->samples, 2u);
  EXPECT_EQ(read->planned, 2u);
  EXPECT_TRUE(read->random);
  EXPECT_EQ(read->engine, "onnxruntime 1.27.0");
  EXPECT_EQ(read->run, "c2a95c54b0c1d9d1");
  EXPECT_EQ(read->source.at("samples"), "2");
  EXPECT_EQ(read->choice.choice, RangeChoice::MinMax);
  ASSERT_EQ(read->tensors.size(), 16u);
  EXPECT_EQ(read->tensors.back().name, "logits");
  EXPECT_EQ(read->tensors.back().sketch.count(), 20u);

  const Sketch& image = read->tensors[0].sketch;
  EXPECT_EQ(image.count(), 128u);
  EXPECT_EQ(image.min(), 0.014992018230259418F);
  EXPECT_EQ(image.max(), 0.9891477823257446F);
  EXPECT_EQ(image.bins().size(), 127u);
  EXPECT_EQ(quantile(image, 0.25), 0.2271728515625);
  EXPECT_EQ(quantile(image, 0.5), 0.4884033203125);
  EXPECT_EQ(quantile(image, 0.9), 0.9276123046875);

  const Sketch& relu = read->tensors[1].sketch;
  EXPECT_EQ(read->tensors[1].layer, "features.0.0");
  EXPECT_EQ(relu.count(), 1536u);
  EXPECT_EQ(relu.zeros(), 767u);
  EXPECT_EQ(relu.bins().size(), 636u);
  EXPECT_EQ(quantile(relu, 0.25), 0);
  EXPECT_EQ(quantile(relu, 0.5), 0.0006389617919921875);
  EXPECT_EQ(quantile(relu, 0.75), 0.75341796875);
  // The meaning survives writing and reading.
  EXPECT_EQ(calibration_from_json(calibration_to_json(*read), "again").value(), *read);
}

}  // namespace
}  // namespace strata
