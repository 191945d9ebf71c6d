#include <random>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "strata/infer/infer.h"
#include "strata/machine/roofline.h"
#include "strata/measure/memory.h"
#include "strata/measure/timing.h"
#include "strata/profile/profile.h"
#include "strata/read/read.h"

namespace strata {
namespace {

std::string saved(const std::string& path, const ProfileOptions& options) {
  auto model = read_model(STRATA_SOURCE_DIR "/" + path);
  EXPECT_TRUE(model) << model.error().message;
  const auto inference = infer(*model);
  EXPECT_TRUE(inference) << inference.error().message;
  auto profile = make_profile(*model, *inference, options);
  EXPECT_TRUE(profile) << profile.error().message;
  profile->options = {{"--format", "json"}, {"--columns", "a,b"}};
  return profile_to_json(*profile);
}

void expect_the_same(const std::string& json) {
  const auto profile = profile_from_json(json, "test");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile_to_json(*profile), json);
}

TEST(ReadProfile, WhatIsReadIsWhatWasSaved) {
  ProfileOptions options;
  options.all_columns = true;
  for (const char* path : {"tests/models/resnet18.onnx", "tests/models/mobilenet_v2_dynamic.onnx",
                           "tests/cli/models/custom_op.onnx", "tests/cli/models/nonzero.onnx",
                           "tests/cli/models/gpt2.onnx", "tests/models/counts/swin_v2.onnx"}) {
    expect_the_same(saved(path, options));
  }
}

// Whoever takes a row out of the file, or writes what is not there, gets a profile without a
// picture.
TEST(ReadProfile, EdgesThatLeadNowhereAreLeftOut) {
  ProfileOptions options;
  options.all_columns = true;
  const auto json = nlohmann::ordered_json::parse(saved("tests/models/resnet18.onnx", options));
  const auto edges = [](const nlohmann::ordered_json& changed) {
    const auto profile = profile_from_json(changed.dump(), "test");
    EXPECT_TRUE(profile) << profile.error().message;
    return profile ? profile->edges.reads.size() : 0;
  };
  EXPECT_EQ(edges(json), json["tables"]["layers"]["rows"].size());
  for (const auto& value : {nlohmann::ordered_json(2), nlohmann::ordered_json(-1000),
                            nlohmann::ordered_json("x"), nlohmann::ordered_json({1, nullptr})}) {
    auto changed = json;
    changed["tables"]["layers"]["edges"]["reads"][1] = value;
    EXPECT_EQ(edges(changed), 0u) << value;
  }
  for (const char* key : {"reads", "returned"}) {
    auto changed = json;
    changed["tables"]["layers"]["edges"][key] = 7;
    EXPECT_EQ(edges(changed), 0u) << key;
  }
  auto shorter = json;
  shorter["tables"]["layers"]["rows"].erase(0);
  EXPECT_EQ(edges(shorter), 0u);
}

TEST(ReadProfile, EveryReportAndLayout) {
  for (ReportKind kind : {ReportKind::Tape, ReportKind::Node, ReportKind::Leaves, ReportKind::Tree,
                          ReportKind::Root, ReportKind::Type, ReportKind::None}) {
    ProfileOptions options;
    options.rows.report = kind;
    options.arena = true;
    expect_the_same(saved("tests/models/resnet18.onnx", options));
  }
  ProfileOptions options;
  options.layout = "torchstat";
  options.device_memory = "pytorch-cuda";
  expect_the_same(saved("tests/models/mobilenet_v2.onnx", options));
}

// A possible measurement of an engine: a kernel for every node but the last.
struct MadeUp {
  explicit MadeUp(const std::string& path) : model(*read_model(STRATA_SOURCE_DIR "/" + path)) {
    inference = *infer(model);
    const std::vector<std::string> keys = node_keys(model);
    double sum = 0;
    for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
      Kernel kernel;
      kernel.name = keys[i];
      kernel.sources = {keys[i]};
      const double seconds = 1e-6 / static_cast<double>(i + 3);
      timing.kernels.push_back({kernel, {seconds, 1.5 * seconds, seconds}});
      const auto bytes = static_cast<std::int64_t>(1000 * i);
      memory.kernels.push_back({kernel, bytes + 8, 8, bytes, bytes + 8});
      sum += seconds;
    }
    timing.runs = {1.1 * sum, 1.2 * sum, 1.3 * sum, 1.2 * sum, 1.1 * sum, 1.25 * sum, 2 * sum};
    timing.recorded = {1.3 * sum, 1.4 * sum, 1.3 * sum};
    timing.warmup = {2 * sum};
    timing.open_seconds = 0.1;
    timing.first_seconds = 3 * sum;
    timing.probe.inside = 1e-7;
    timing.contention = {1.5, 1.25, 7};
    timing.partial = true;
    memory.peak = 123456;
    memory.left = 99;
    roofline.fp32_flops = 1.2e11;
    roofline.bytes_per_second = 1.7e10;
    roofline.kernel = "avx2";
    options.timing = &timing;
    options.memory = &memory;
    options.roofline = &roofline;
    options.timing_facts.engine = "abacus 1.0";
    options.timing_facts.view = "source";
    options.timing_facts.threads = 2;
    options.machine = {{"cpu", "a \"fast\" one"}, {"load", "0.25"}};
  }
  std::string saved() const {
    const auto profile = make_profile(model, inference, options);
    EXPECT_TRUE(profile) << profile.error().message;
    return profile_to_json(*profile);
  }

  Model model;
  Inference inference;
  Timing timing;
  MemoryTrace memory;
  Roofline roofline;
  ProfileOptions options;
};

TEST(ReadProfile, WhatWasMeasuredIsReadBack) {
  MadeUp measured("tests/models/resnet18.onnx");
  measured.options.all_columns = true;
  for (ReportKind kind : {ReportKind::Tape, ReportKind::Tree, ReportKind::Type, ReportKind::None}) {
    measured.options.rows.report = kind;
    expect_the_same(measured.saved());
  }
  const auto profile = profile_from_json(measured.saved(), "test");
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_TRUE(profile->timing && profile->taken && profile->roofline);
  EXPECT_EQ(profile->timing->engine, "abacus 1.0");
  EXPECT_EQ(profile->timing->threads, 2);
  EXPECT_EQ(profile->timing->samples, measured.timing.runs);
  EXPECT_EQ(profile->timing->involuntary, 7);
  EXPECT_TRUE(profile->timing->partial);
  EXPECT_EQ(profile->timing->unassigned.size(), 1u);  // the last node
  EXPECT_GT(profile->timing->high, profile->timing->low);
  EXPECT_EQ(profile->taken->peak, 123456);
  EXPECT_EQ(profile->taken->weights, -1);  // the engine did not tell
  EXPECT_EQ(profile->roofline->kernel, "avx2");
  EXPECT_EQ(profile->machine, measured.options.machine);
}

TEST(ReadProfile, TooFewRunsForAnIntervalAreNone) {
  MadeUp measured("tests/models/resnet18.onnx");
  measured.timing.runs.resize(3);
  measured.memory.weight_bytes = 5;
  expect_the_same(measured.saved());
  const auto profile = profile_from_json(measured.saved(), "test");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->timing->high, 0);
  EXPECT_EQ(profile->taken->weights, 5);
}

TEST(ReadProfile, KeysThatAreNotKnownAreIgnored) {
  const auto profile = profile_from_json(
      R"({"schema": 1, "colour": "red", "columns": [{"name": "time", "unit": "seconds", "x": 1}],
          "rows": [{"time": 0.25, "y": [1]}, {}]})",
      "test");
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->rows.size(), 2u);
  EXPECT_EQ(std::get<double>(profile->rows[0].cells[0].value), 0.25);
  EXPECT_TRUE(profile->rows[1].cells[0].is_unknown());
}

// `--dim a=1 --dim b=2` is saved as a list.
TEST(ReadProfile, AnOptionThatWasGivenTwice) {
  const std::string json =
      R"({"schema": 1, "columns": [], "rows": [], "options": {"--dim": ["a=1", "b=2"]}})";
  const auto profile = profile_from_json(json, "test");
  ASSERT_TRUE(profile) << profile.error().message;
  const std::vector<std::pair<std::string, std::string>> wanted = {{"--dim", "a=1"},
                                                                   {"--dim", "b=2"}};
  EXPECT_EQ(profile->options, wanted);
}

TEST(ReadProfile, WhatIsWrongGetsOneSentence) {
  const std::string head = R"({"schema": 1, "columns": [{"name": "n", "unit": "count"}], "rows": )";
  const std::pair<std::string, std::string> cases[] = {
      {"", "it is not JSON"},
      {"{", "it is not JSON"},
      {"\xff\xfe", "it is not JSON"},
      {"[]", "is not a profile: it is not a JSON object"},
      {"{}", "it has no \"schema\""},
      {R"({"schema": 3})", "it has schema 3, and this strata reads 1 and 2"},
      {R"({"schema": 2, "kind": "bench"})", "it is a document of kind \"bench\", and no profile"},
      {R"({"schema": 2, "kind": "profile"})", "it has no object \"facts\""},
      {R"({"schema": 2, "kind": "profile", "facts": {}, "tables": {}})",
       "it has no object \"layers\""},
      {R"({"schema": "1"})", "it has a \"schema\" that is not a whole number"},
      {R"({"schema": 1})", "it has no list \"columns\""},
      {R"({"schema": 1, "columns": []})", "it has no list \"rows\""},
      {R"({"schema": 1, "columns": 7})", "it has a \"columns\" that is not a list"},
      {R"({"schema": 1, "columns": [{"unit": "count"}]})", "item 1 of \"columns\" has no name"},
      {R"({"schema": 1, "columns": [{"name": "a", "unit": "furlongs"}]})",
       "item 1 of \"columns\" has an unknown unit \"furlongs\""},
      {R"({"schema": 1, "columns": [{"name": "a", "unit": "text"}, {"name": "a", "unit": "text"}]})",
       "item 2 of \"columns\" has the name \"a\" of another"},
      {head + "[3]}", "item 1 of \"rows\" is not an object"},
      {head + R"([{}, {"n": "x"}]})",
       "item 2 of \"rows\" has a value in column \"n\" that is not a count: a number, "
       "{\"formula\": …}, {\"at_least\": …} or null"},
      {head + R"([{"n": {"formula": "N +"}}]})",
       "item 1 of \"rows\" has a value in column \"n\" that is not a count: a number, "
       "{\"formula\": …}, {\"at_least\": …} or null"},
      {head + R"([], "report": "opera"})", "it has an unknown report \"opera\""},
      {head + R"([], "options": {"a\u001b": 1}})", "it has an option \"a\\x1b\" that is not text"},
      {head + R"([], "model": {"file_bytes": -4}})", "its model has a negative \"file_bytes\""},
      {head + R"([], "memory": {"arena": 3}})",
       "its memory has an \"arena\" that is not an object"},
      {head + R"([], "notes": [3]})", "item 1 of \"notes\" is not text"},
      {head + R"([], "timing": []})", "its timing is not an object"},
      {head + R"([], "timing": {"median_s": "1 s"}})",
       "its timing has a \"median_s\" that is not a number"},
      {head + R"([], "timing": {"runs": -1}})", "its timing has a negative \"runs\""},
      {head + R"([], "timing": {"samples_s": [0.5, null]}})",
       "item 2 of \"samples_s\" is not a number"},
      {head + R"([], "roofline": {"threads": 5000000000}})",
       "its roofline has a \"threads\" out of all proportion"},
      {head + R"([], "memory": {"engine": {"peak": 0.5}}})",
       "its memory of an engine has a \"peak\" that is not a whole number"},
      {head + R"([], "machine": {"mhz": 2000}})",
       "its machine has a fact \"mhz\" that is not text"},
  };
  for (const auto& [json, sentence] : cases) {
    const auto profile = profile_from_json(json, "edge.json");
    ASSERT_FALSE(profile) << json;
    EXPECT_EQ(profile.error().message, "profile edge.json: " + sentence) << json;
  }
}

TEST(ReadProfile, NumbersBeyondOurRangeAreRefused) {
  for (const char* number : {"9223372036854775807", "18446744073709551615", "true", "[1]", "{}",
                             R"({"at_least": null})", R"({"at_least": {"at_least": 1}})"}) {
    const std::string json =
        R"({"schema": 1, "columns": [{"name": "n", "unit": "count"}], "rows": [{"n": )" +
        std::string(number) + "}]}";
    EXPECT_FALSE(profile_from_json(json, "test")) << number;
  }
}

// In 0.1 everything stood at the top of the object, and shapes were texts.
TEST(ReadProfile, WhatWasSavedBy01IsStillRead) {
  const auto profile = read_profile(STRATA_SOURCE_DIR "/tests/data/saved_by_0.1/profile.json");
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->model.inputs.size(), 1u);
  EXPECT_EQ(profile->model.inputs[0].shape, "N×3×224×224");
  ASSERT_FALSE(profile->rows.empty());
  const std::string json = profile_to_json(*profile);
  EXPECT_NE(json.find("\"shape\": [\"N\",3,224,224]"), std::string::npos);
  const auto again = profile_from_json(json, "again");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->model.inputs[0].shape, "N×3×224×224");
  EXPECT_EQ(profile_to_json(*again), json);
}

TEST(ReadProfile, DeepNestingCostsNothing) {
  const std::string deep(1 << 20, '[');
  EXPECT_FALSE(profile_from_json(deep, "test"));
  EXPECT_FALSE(profile_from_json(deep + std::string(1 << 20, ']'), "test"));
}

// A real profile with parts of it replaced: never anything but a profile or a sentence.
TEST(ReadProfile, DamagedProfilesAreReadOrRefused) {
  ProfileOptions options;
  options.all_columns = true;
  options.arena = true;
  const std::string whole = saved("tests/models/resnet18.onnx", options).substr(0, 20000);
  const std::string closed = saved("tests/cli/models/custom_op.onnx", options);
  std::mt19937 random(7);
  const char* pieces[] = {"null", "{}", "[]", "-1", "1e300", "\"x\"", "true", ":", ",", "\"rows\""};
  std::size_t refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string json = i % 2 == 0 ? closed : whole;
    json.replace(random() % json.size(), random() % 12, pieces[random() % std::size(pieces)]);
    const auto profile = profile_from_json(json, "test");
    if (profile) {
      EXPECT_FALSE(profile_to_json(*profile).empty());
    } else {
      ++refused;
      EXPECT_FALSE(profile.error().message.empty());
    }
  }
  EXPECT_GT(refused, 1500u);
}

}  // namespace
}  // namespace strata
