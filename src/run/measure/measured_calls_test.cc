#include "strata/measure/measured_calls.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read/recording/reader.h"

namespace strata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Two modules, an addition between them, and a container `c` that runs nothing itself.
constexpr std::string_view kNetwork = R"({"strata_recording":1,"source":"torch 2.13.0","name":"Net",
 "modules":[["","Net",-1,0],["c","Sequential",0,0],["c.a","ReLU",1,0],["c.a","ReLU",1,1]],
 "tensors":[["float32",[4],null,0,0],["float32",[4],null,1,0],["float32",[4],null,2,0],
            ["float32",[4],null,3,0]],
 "inputs":[[0,"x"]],"outputs":[[3,"y"]],
 "calls":[["aten.relu.default",[{"t":0}],{},[1],2,0],["aten.relu.default",[{"t":1}],{},[2],3,0],
          ["aten.add.Tensor",[{"t":2},{"t":2}],{},[3],0,0]]})";

// Six runs of ten seconds in three sessions; what is given takes the place of members.
MeasuredCalls measured(const std::string& calls,
                       const std::string& recorded = "[10,10,10,10,10,10]",
                       const std::string& more = "") {
  const std::string text = fmt::format(
      R"j({{"strata_measured":1,"engine":"torch 2.13.0 (cpu)","threads":1,"first_s":12,
"warmup_s":[11,10],"probe_inside_s":0,"probe_total_s":0,"partial":false,
"runs_s":[10,10,10,10,10,10],"sessions":[2,2,2],"recorded_s":{},"recorded_sessions":[2,2,2],
"calls":{}{}}})j",
      recorded, calls, more);
  auto read = read_measured_calls(text, "times.json");
  EXPECT_TRUE(read) << (read ? "" : read.error().message);
  return read ? *read : MeasuredCalls();
}

Model network() { return std::move(*recording::read(kNetwork, "net", {})); }

double median_at(const Timing& timing, std::size_t kernel) {
  return summarize(timing.kernels.at(kernel).seconds).median;
}

constexpr const char* kCalls =
    R"([["c.a",0,[3,3,3,3,3,3]],["c.a",1,[5,5,5,5,5,5]],["c",0,[0.5,0.5,0.5,0.5,0.5,0.5]],
        ["",0,[1,1,1,1,1,1]]])";

TEST(MeasuredCalls, CountAtTheNodesThatTheyRun) {
  const Model model = network();
  const Timing timing = timing_of(measured(kCalls), model);
  ASSERT_EQ(timing.kernels.size(), 3U);  // `c` runs nothing itself
  EXPECT_THAT(timing.kernels[0].kernel.sources, ElementsAre("relu"));
  EXPECT_THAT(timing.kernels[1].kernel.sources, ElementsAre("relu_1"));
  EXPECT_THAT(timing.kernels[2].kernel.sources, ElementsAre("add"));
  EXPECT_DOUBLE_EQ(median_at(timing, 0), 3);
  EXPECT_DOUBLE_EQ(median_at(timing, 1), 5);
  EXPECT_DOUBLE_EQ(median_at(timing, 2), 1);
  EXPECT_THAT(timing.sessions, ElementsAre(2, 2, 2));
  ASSERT_TRUE(timing.center.interval);
  EXPECT_LT(timing.center.interval->low, 10);
  EXPECT_GT(timing.center.interval->high, 10);
  EXPECT_FALSE(timing.waits_read);
}

TEST(MeasuredCalls, RecordedRunsAreScaledToTheOthers) {
  const std::string twice =
      R"([["c.a",0,[6,6,6,6,6,6]],["c.a",1,[10,10,10,10,10,10]],["",0,[2,2,2,2,2,2]]])";
  const Model model = network();
  const Timing timing = timing_of(measured(twice, "[20,20,20,20,20,20]"), model);
  EXPECT_DOUBLE_EQ(median_at(timing, 0), 3);
  EXPECT_DOUBLE_EQ(median_at(timing, 1), 5);
  EXPECT_DOUBLE_EQ(median_at(timing, 2), 1);
}

TEST(MeasuredCalls, WhatRecordingCostsIsTakenOffTheRun) {
  // Four calls of a quarter of a second each: 11 seconds are 10 without them.
  MeasuredCalls calls = measured(kCalls, "[11,11,11,11,11,11]");
  calls.probe.total = 0.25;
  const Model model = network();
  const Timing timing = timing_of(calls, model);
  EXPECT_DOUBLE_EQ(median_at(timing, 0), 3);
  EXPECT_DOUBLE_EQ(median_at(timing, 1), 5);
}

TEST(MeasuredCalls, WaitingIsTakenOffTheCallThatItLengthened) {
  const std::string calls =
      R"([["c.a",0,[3,3,3,3,3,3]],["c.a",1,[5,9,5,5,5,5]],["",0,[1,1,1,1,1,1]]])";
  const Model model = network();
  const Timing timing =
      timing_of(measured(calls, "[10,14,10,10,10,10]",
                         R"(,"waits_s":[0,0,0,0,0,0],"recorded_waits_s":[0,4,0,0,0,0])"),
                model);
  EXPECT_THAT(timing.kernels[1].seconds, ElementsAre(5, 5, 5, 5, 5, 5));
  EXPECT_THAT(timing.recorded, ElementsAre(10, 10, 10, 10, 10, 10));
  EXPECT_TRUE(timing.waits_read);
  EXPECT_DOUBLE_EQ(timing.contention.wait_seconds, 0);
}

TEST(MeasuredCalls, DisturbedRunsOfSeveralThreadsMakeNoClaim) {
  MeasuredCalls calls = measured(kCalls, "[10,10,10,10,10,10]",
                                 R"(,"waits_s":[3,3,3,3,3,3],"recorded_waits_s":[3,3,3,3,3,3])");
  calls.threads = 2;
  const Model model = network();
  const Timing timing = timing_of(calls, model);
  EXPECT_FALSE(timing.center.interval);
  EXPECT_THAT(timing.center.withheld, HasSubstr("0 of 6 runs were undisturbed"));
  EXPECT_TRUE(timing.contention.disturbed(2));
}

TEST(MeasuredCalls, MemoryOfCalls) {
  const Model model = network();
  EXPECT_FALSE(memory_of(measured(kCalls), model));
  const auto memory = memory_of(measured(R"([["c.a",0,[3,3,3,3,3,3],[100,40,60,110]],
     ["c.a",1,[5,5,5,5,5,5],[50,0,110,160]],["c",0,[0,0,0,0,0,0],[0,0,110,160]]])"),
                                model);
  ASSERT_TRUE(memory);
  ASSERT_EQ(memory->kernels.size(), 2U);
  EXPECT_EQ(memory->peak, 160);
  EXPECT_EQ(memory->peak_kernel, 1U);
  EXPECT_EQ(memory->kernels[0].allocated, 100);
  EXPECT_EQ(memory->kernels[0].scratch, 40);
  EXPECT_EQ(memory->kernels[0].held, 60);
}

TEST(MeasuredCalls, WhatIsWrongIsASentence) {
  const auto problem = [](std::string_view text) {
    const auto read = read_measured_calls(text, "t.json");
    return read ? "" : read.error().message;
  };
  EXPECT_THAT(problem("hello"), HasSubstr("t.json: "));
  EXPECT_EQ(problem("{}"), "t.json: it is not a file of measured calls");
  EXPECT_EQ(problem(R"({"strata_measured":7})"),
            "t.json: its \"strata_measured\" is of another version of strata");
  EXPECT_EQ(problem(R"({"strata_measured":1})"), "t.json: its \"runs_s\" is empty");
  EXPECT_EQ(problem(R"({"strata_measured":1,"runs_s":[1,"x"],"sessions":[1]})"),
            "t.json: its \"runs_s\" has something else than times");
  EXPECT_EQ(problem(R"({"strata_measured":1,"runs_s":[1,1],"sessions":[1]})"),
            "t.json: its \"sessions\" does not add up to the number of runs");
  EXPECT_EQ(problem(R"({"strata_measured":1,"runs_s":[1],"sessions":[1],"recorded_s":[1],
                        "recorded_sessions":[1],"calls":[["a",0,[1,2]]]})"),
            "t.json: its \"calls\" has an entry with another number of times than there are "
            "recorded runs");
  EXPECT_EQ(problem(R"({"strata_measured":1,"runs_s":[1],"sessions":[1],"calls":[7]})"),
            "t.json: its \"calls\" has an entry that is not a path, number and list of times");
}

}  // namespace
}  // namespace strata
