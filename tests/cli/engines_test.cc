// `strata engines` with engines that do not survive being tried.
#include <cstdlib>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "program_folder.h"
#include "strata/engine/engine.h"

namespace strata {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class TriedEngines : public ProgramFolder {
 protected:
  void SetUp() override {
    ProgramFolder::SetUp();
    if (!load_engine("fake")) GTEST_SKIP() << "there is no fake engine";
  }
  void TearDown() override {
    ::unsetenv("STRATA_FAKE_PROBE");
    ProgramFolder::TearDown();
  }
};

TEST_F(TriedEngines, OneThatCrashesIsARow) {
  ::setenv("STRATA_FAKE_PROBE", "crash", 1);
  write("libstrata_engine_zero.so", "no library at all");
  const Ran ran = strata("engines --engine-path '" + folder_.string() + "' --format json");
  ASSERT_EQ(ran.code, 0) << ran.text;
  const auto document = nlohmann::json::parse(ran.text, nullptr, false);
  ASSERT_TRUE(document.is_object()) << ran.text;
  const auto& json = document["facts"]["engines"];
  ASSERT_GE(json.size(), 3u);  // torch is there, too, where libtorch was found
  EXPECT_EQ(json[0]["name"], "fake");
  EXPECT_THAT(std::string(json[0]["failed"]), testing::StartsWith("crashed (SIGABRT: "));
  EXPECT_EQ(json[1]["name"], "onnxruntime");
  EXPECT_NE(json[1]["devices"].empty(), json[1]["missing"].is_null());
  EXPECT_EQ(json.back()["name"], "zero");
  EXPECT_THAT(std::string(json.back()["missing"]), HasSubstr("libstrata_engine_zero.so"));
}

TEST_F(TriedEngines, OneThatHangsIsARow) {
  ::setenv("STRATA_FAKE_PROBE", "hang", 1);
  const Ran all = strata("engines --max-time 3");
  EXPECT_EQ(all.code, 0) << all.text;
  EXPECT_THAT(
      all.text,
      AllOf(
          HasSubstr("fake did not answer within 3 s when it was tried; --max-time gives it more\n"),
          HasSubstr("onnxruntime")));
  const Ran one = strata("engines fake --max-time 500ms");
  EXPECT_EQ(one.code, 1) << one.text;
  EXPECT_THAT(one.text, testing::StartsWith("strata: fake did not answer within 0.5 s"));
}

TEST_F(TriedEngines, OneThatWorksIsListedAsBefore) {
  const Ran ran = strata("engines fake");
  EXPECT_EQ(ran.code, 0) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("\n  opens    onnx\n"));
  EXPECT_THAT(ran.text, HasSubstr("\n  cpu      computes nothing: fp32, fp16, bf16, int8\n"));
  EXPECT_EQ(strata("engines ../x").code, 2);
  const Ran none = strata("engines abacus");
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.text, testing::StartsWith("strata: no engine \"abacus\" on this machine; "));
}

}  // namespace
}  // namespace strata
