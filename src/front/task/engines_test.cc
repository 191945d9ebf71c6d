#include "strata/task/engines.h"

#include <cstdlib>
#include <fstream>

#include "task/test_job.h"

namespace strata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class EnginesJob : public test::JobTest {
 protected:
  void TearDown() override { ::unsetenv("STRATA_FAKE_PROBE"); }
  static const TriedEngine* find(const std::vector<TriedEngine>& all, const std::string& name) {
    for (const TriedEngine& engine : all)
      if (engine.name == name) return &engine;
    return nullptr;
  }
};

TEST_F(EnginesJob, OneThatWorksSaysWhatItCanDo) {
  const auto tried = run_engines({.name = "fake"}, observer());
  ASSERT_TRUE(tried) << tried.error().message;
  ASSERT_EQ(tried->size(), 1u);
  const TriedEngine& fake = tried->front();
  EXPECT_EQ(fake.name, "fake");
  EXPECT_EQ(fake.formats, "onnx");
  EXPECT_THAT(fake.plugin, HasSubstr("libstrata_engine_fake"));
  ASSERT_EQ(fake.devices.size(), 1u);
  EXPECT_EQ(fake.devices[0].name, "cpu");
  std::vector<std::string> precisions;
  for (const TriedPrecision& precision : fake.devices[0].precisions) {
    precisions.push_back(precision.name);
    EXPECT_THAT(precision.reason, IsEmpty());
  }
  EXPECT_THAT(precisions, ElementsAre("fp32", "fp16", "bf16", "int8"));
  EXPECT_THAT(stages_, ElementsAre("fake"));
}

TEST_F(EnginesJob, OneThatCrashesIsAnEntry) {
  ::setenv("STRATA_FAKE_PROBE", "crash", 1);
  const auto all = run_engines({});
  ASSERT_TRUE(all) << all.error().message;
  const TriedEngine* fake = find(*all, "fake");
  ASSERT_NE(fake, nullptr);
  EXPECT_THAT(fake->failed, StartsWith("crashed (SIGABRT: "));
  EXPECT_NE(find(*all, "onnxruntime"), nullptr);  // also where it is not installed
  // Asked for by name, it is an error.
  const auto one = run_engines({.name = "fake"});
  ASSERT_FALSE(one);
  EXPECT_THAT(one.error().message, StartsWith("fake crashed (SIGABRT: "));
}

TEST_F(EnginesJob, OneThatHangsIsGivenUp) {
  ::setenv("STRATA_FAKE_PROBE", "hang", 1);
  const auto all = run_engines({.seconds = 0.25});
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_TRUE(find(*all, "fake")->timed_out);
  const auto one = run_engines({.name = "fake", .seconds = 0.25});
  ASSERT_FALSE(one);
  EXPECT_EQ(one.error().message, "fake did not answer within 0.25 s when it was tried");
}

TEST_F(EnginesJob, OneThatIsMissingIsAnEntryUnlessItIsAskedFor) {
  std::ofstream(file("libstrata_engine_zero.so")) << "no library at all";
  const auto all = run_engines({.path = file("")});
  ASSERT_TRUE(all) << all.error().message;
  const TriedEngine* zero = find(*all, "zero");
  ASSERT_NE(zero, nullptr);
  EXPECT_THAT(zero->missing, HasSubstr("\"zero\""));
  const Error abacus = run_engines({.name = "abacus"}).error();
  EXPECT_EQ(abacus.kind, ErrorKind::Model);
  EXPECT_EQ(abacus.code, Code::EngineMissing);
  EXPECT_FALSE(abacus.fields().found.empty());  // the places that were searched
  EXPECT_EQ(run_engines({.name = "../x"}).error().kind, ErrorKind::Usage);
}

TEST_F(EnginesJob, EndsWhenItIsStopped) {
  Observer stopped = observer();
  stop_ = true;
  const auto none = run_engines({}, stopped);
  ASSERT_TRUE(none);
  EXPECT_THAT(*none, IsEmpty());
}

}  // namespace
}  // namespace strata
