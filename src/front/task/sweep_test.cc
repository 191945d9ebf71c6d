#include "strata/task/sweep.h"

#include <fstream>
#include <mutex>

#include "task/test_job.h"

namespace strata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

class SweepJobs : public test::JobTest {
 protected:
  // Three jobs; `bad` fails.
  SweepRequest request() {
    SweepRequest out;
    for (const char* key : {"zoo:a", "zoo:b", "zoo:bad"}) out.jobs.push_back({key, {key}});
    out.output = file("results.jsonl");
    out.run = [this](const SweepJob& job, const std::atomic<bool>*) -> SweepAnswer {
      const std::lock_guard lock(mutex_);
      ran_.push_back(job.key);
      if (job.key == "zoo:bad") return {.error = "no such network"};
      BenchRun run;
      run.groups.push_back({job.key});
      return {.json = bench_to_json(run)};
    };
    return out;
  }

  std::mutex mutex_;
  std::vector<std::string> ran_;
};

TEST_F(SweepJobs, EveryJobIsDoneOnce) {
  const auto first = run_sweep(request(), observer());
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_THAT(ran_, ElementsAre("zoo:a", "zoo:b", "zoo:bad"));
  EXPECT_EQ(first->before, 0u);
  EXPECT_EQ(first->now, 3u);
  EXPECT_EQ(first->left, 0u);
  EXPECT_FALSE(first->all_failed);
  EXPECT_THAT(first->results.run.groups, SizeIs(2));
  EXPECT_THAT(first->results.failed, ElementsAre("zoo:bad: no such network"));
  EXPECT_THAT(stages_, ElementsAre("[1/3] zoo:a", "[2/3] zoo:b", "[3/3] zoo:bad"));

  ran_.clear();
  const auto second = run_sweep(request());
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_THAT(ran_, IsEmpty());
  EXPECT_EQ(second->before, 3u);
  EXPECT_THAT(second->results.run.groups, SizeIs(2));

  SweepRequest retry = request();
  retry.retry = true;
  ASSERT_TRUE(run_sweep(retry));
  EXPECT_THAT(ran_, ElementsAre("zoo:bad"));
}

TEST_F(SweepJobs, AJobMayBeACommand) {
  const auto answer = [](const std::string& script) {
    return run_sweep_command({"/bin/sh", "-c", script, "sh", "zoo:a"});
  };
  const SweepAnswer said = answer("echo $1");
  EXPECT_EQ(said.json, "zoo:a\n");
  EXPECT_EQ(said.error, "");
  EXPECT_EQ(answer("echo 'strata: no such file' >&2; exit 1").error, "no such file");
  EXPECT_EQ(answer("exit 2").error, "ended with code 2 and no message");
  EXPECT_EQ(answer("kill -9 $$").error, "ended by signal 9");
  EXPECT_TRUE(answer("exit 130").interrupted);
  // Jobs that could not be run are in the results.
  BenchRun run;
  run.groups.push_back({"zoo:a"});
  VariantResult& variant = run.groups[0].result.variants.emplace_back();
  variant.failure = Failure::Refused;
  variant.reason = "no such operator";
  run.groups[0].result.speed_ups.emplace_back();
  run.groups[0].modelled_joules.emplace_back();
  std::ofstream(file("run.json")) << bench_to_json(run);
  EXPECT_THAT(answer("cat " + file("run.json") + "; exit 1").error,
              HasSubstr(": no such operator"));
}

TEST_F(SweepJobs, StoppedJobsAreLeft) {
  SweepRequest cut = request();
  cut.run = [&, run = cut.run](const SweepJob& job, const std::atomic<bool>* stop) {
    EXPECT_EQ(stop, &stop_);
    if (job.key == "zoo:b") stop_ = true;
    return run(job, stop);
  };
  const auto outcome = run_sweep(cut, observer());
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->now, 1u);
  EXPECT_EQ(outcome->left, 2u);  // the job that was running is repeated
  ran_.clear();
  ASSERT_TRUE(run_sweep(request()));
  EXPECT_THAT(ran_, ElementsAre("zoo:b", "zoo:bad"));
}

TEST_F(SweepJobs, SeveralAtOnceAreSaidToDisturb) {
  SweepRequest many = request();
  many.at_once = 3;
  const auto outcome = run_sweep(many, observer());
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_THAT(ran_, UnorderedElementsAre("zoo:a", "zoo:b", "zoo:bad"));
  EXPECT_THAT(notes_, ElementsAre("jobs that run at once disturb each other's times [phrased]"));
}

TEST_F(SweepJobs, AModelThatChangedIsDoneAgain) {
  const std::string model = file("net.onnx");
  std::ofstream(model) << "one";
  SweepRequest own = request();
  own.jobs = {{"net", {model}}};
  ASSERT_TRUE(run_sweep(own));
  ASSERT_TRUE(run_sweep(own));
  EXPECT_THAT(ran_, ElementsAre("net"));
  std::ofstream(model) << "another";
  ASSERT_TRUE(run_sweep(own, observer()));
  EXPECT_THAT(ran_, ElementsAre("net", "net"));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("1 job is done again, as the model has changed")));
}

TEST_F(SweepJobs, OnlyFailuresAreToldApart) {
  SweepRequest bad = request();
  bad.jobs.erase(bad.jobs.begin(), bad.jobs.begin() + 2);
  EXPECT_TRUE(run_sweep(bad)->all_failed);
  bad.output = file("none.jsonl");
  bad.jobs.clear();
  EXPECT_FALSE(run_sweep(bad)->all_failed);
  bad.run = {};
  EXPECT_FALSE(run_sweep(bad));
}

TEST_F(SweepJobs, PartsAreMerged) {
  SweepRequest one = request(), two = request();
  two.jobs.erase(two.jobs.begin());
  two.output = file("two.jsonl");
  ASSERT_TRUE(run_sweep(one));
  ASSERT_TRUE(run_sweep(two));
  const std::vector<std::string> paths = {one.output, two.output};
  const auto merged = merge_sweeps(paths, file("all.jsonl"));
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(merged->entries, 5u);
  EXPECT_EQ(merged->jobs, 3u);
  EXPECT_EQ(merged->failed, 1u);
  EXPECT_THAT(merged->results.run.groups, SizeIs(2));
  const std::vector<std::string> again = {file("all.jsonl")};
  EXPECT_EQ(merge_sweeps(again, "")->entries, 3u);
}

}  // namespace
}  // namespace strata
