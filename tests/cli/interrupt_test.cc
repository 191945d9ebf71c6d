// Ctrl-C, and SIGTERM as schedulers send it: the results so far are printed or written, the exit
// code is 130, and no process is left.
#include <nlohmann/json.hpp>

#include "program_folder.h"
#include "terminal_program.h"

namespace strata {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class Interrupted : public ProgramFolder {
 protected:
  // Once a process of its own runs: a name is shown before its engine is started. Also checks that
  // its processes end with it.
  static Program::Ended interrupt(Program& program, int signal) {
    auto processes = program.children();
    for (int i = 0; i < 6000 && processes.empty(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      processes = program.children();
    }
    EXPECT_THAT(processes, Not(IsEmpty()));
    ::kill(program.pid(), signal);
    auto ended = program.wait();
    EXPECT_TRUE(all_end(processes));
    EXPECT_EQ(ended.exit_code, 130) << ended.errors;
    return ended;
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
};

// ----- stat --time

const Words kStat = {"stat", "zoo:squeezenet1_1?resolution=64", "--time", "--engine", "fake"};

// Hangs in this run of the first session. Run 0 and one warm-up come before the unrecorded runs,
// which come four at a time after one that is not counted; as many recorded ones follow each time.
Words hanging(const char* at) {
  Words words = kStat;
  words.back() += fmt::format(":fail=hang,at={}", at);
  return with(words, {"--runs", "500", "--warmup", "1"});
}

TEST_F(Interrupted, WhatWasMeasuredIsPrintedAsPartial) {
  Program program(with(hanging("27"), {"--format", "json"}));
  ASSERT_TRUE(program.shows("measuring   8 %"));  // from 38 of 500 on; it hangs after 20 of each
  program.type_control_c();
  const auto ended = program.wait();
  EXPECT_EQ(ended.exit_code, 130);
  EXPECT_EQ(ended.errors, "strata: interrupted: the results are partial\n");
  const auto json = nlohmann::json::parse(ended.output, nullptr, false);
  ASSERT_TRUE(json.is_object()) << ended.output;
  EXPECT_EQ(json["facts"]["timing"]["partial"], true);
  EXPECT_EQ(json["facts"]["timing"]["all_runs"], 20);
  // Some may be left out if other work runs on this machine.
  const std::size_t runs = json["facts"]["timing"]["runs"],
                    recorded = json["facts"]["timing"]["recorded_runs"];
  EXPECT_TRUE(runs >= 6 && runs <= 20) << runs;
  EXPECT_TRUE(recorded >= 6 && recorded <= 20) << recorded;
  EXPECT_EQ(json["facts"]["timing"]["samples_s"].size(), runs);
}

// A signal to the process that was started reaches the one that measures.
TEST_F(Interrupted, BySignalsToo) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Program program(with(hanging("26"), {"--memory", "--columns", "layer,mem_held", "--notes"}));
    ASSERT_TRUE(program.shows("measuring   7 %"));
    const auto ended = interrupt(program, signal);
    EXPECT_EQ(ended.errors, "strata: interrupted: the results are partial\n");
    // 7 % are shown from 33 of 500 on, and the 36th hangs, so 17 to 19 unrecorded runs are done.
    EXPECT_THAT(ended.output, AllOf(ContainsRegex("median of ([0-9]+ of )?1[789] runs"),
                                    HasSubstr("\nPartial: ")));
  }
}

// Figures that were not measured get a column only on request.
TEST_F(Interrupted, NoColumnsAreAddedForWhatIsMissing) {
  Program program(hanging("26"));
  ASSERT_TRUE(program.shows("measuring   7 %"));
  program.type_control_c();
  const auto ended = program.wait();
  EXPECT_EQ(ended.exit_code, 130);
  const std::string header = ended.output.substr(0, ended.output.find('\n'));
  EXPECT_THAT(header, AllOf(HasSubstr("Time"), Not(HasSubstr("roof")), Not(HasSubstr("Scratch")),
                            Not(HasSubstr("Held"))));
}

TEST_F(Interrupted, BeforeAnythingWasMeasuredItSaysSo) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Program program(hanging("0"));
    ASSERT_TRUE(program.shows("opening"));
    const auto ended = interrupt(program, signal);
    EXPECT_EQ(ended.errors, "strata: interrupted before anything was measured\n");
    EXPECT_THAT(ended.output, IsEmpty());
  }
}

// ----- zoo table --time

// The last of the networks takes longer than a signal.
TEST_F(Interrupted, ATableOfTheZooHasTheNetworksThatWereMeasured) {
  Program program({"zoo", "table", "--time", "--engine", "fake", "--runs", "1", "--warmup", "0",
                   "--format", "json"});
  ASSERT_TRUE(program.shows("[2/34]"));
  const auto ended = interrupt(program, SIGTERM);
  const auto json = nlohmann::json::parse(ended.output, nullptr, false);
  ASSERT_TRUE(json.is_object()) << ended.output << ended.errors;
  const std::size_t there = json["tables"]["networks"]["rows"].size(),
                    missing = json["facts"]["missing"].size();
  EXPECT_GE(there, 1u);
  EXPECT_GE(missing, 1u);
  EXPECT_EQ(there + missing, 34u);
  EXPECT_EQ(json["tables"]["networks"]["rows"][0]["model"], "alexnet");
  for (const auto& network : json["tables"]["networks"]["rows"])
    EXPECT_TRUE(network["latency"].is_number());
  const std::string last = json["facts"]["missing"].back();
  EXPECT_EQ(last, "wide_resnet50_2");
  EXPECT_THAT(std::string(json["notes"].back()),
              AllOf(StartsWith(fmt::format("Partial: interrupted after {} of 34", there)),
                    HasSubstr(last)));
  EXPECT_EQ(ended.errors,
            fmt::format("strata: interrupted: {} of 34 networks are missing\n", missing));
}

TEST_F(Interrupted, ATableOfTheZooWithNothingInItIsNone) {
  Program program({"zoo", "table", "--time", "--engine", "fake:fail=hang"});
  ASSERT_TRUE(program.shows("opening"));
  const auto ended = interrupt(program, SIGINT);
  EXPECT_THAT(ended.output, IsEmpty());
  EXPECT_EQ(ended.errors, "strata: interrupted before anything was measured\n");
}

// ----- sweep

// The second of its jobs never ends.
class InterruptedSweep : public Interrupted {
 protected:
  void SetUp() override {
    Interrupted::SetUp();
    write("plan.toml",
          "models = [\"zoo:squeezenet1_1?resolution=64\"]\n"
          "[bench]\nprocesses = 1\nmax-time = \"300ms\"\ntimeout = \"10min\"\n"
          "[axes]\nengine = [\"fake\", \"fake:fail=hang\"]\n");
  }
  // Waits until the second job and the process of its engine stay: the first job's may still be
  // ending, and a job first asks the engine in a process that soon ends.
  bool is_hanging(Program& program) const {
    if (!program.shows("[2/2]")) return false;
    std::vector<pid_t> before;
    for (int i = 0; i < 120; ++i) {
      const std::vector<pid_t> now = program.children();
      if (now.size() == 2 && now == before) return true;
      before = now;
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
    return false;
  }
};

TEST_F(InterruptedSweep, KeepsWhatIsDone) {
  for (const int signal : {SIGTERM, SIGINT}) {
    Program program({"sweep", path("plan.toml")});
    if (signal == SIGTERM) {
      ASSERT_TRUE(is_hanging(program));
    } else {
      ASSERT_TRUE(program.shows("[1/1]"));  // the other is in the results
    }
    const auto ended = interrupt(program, signal);
    EXPECT_THAT(ended.output, HasSubstr("1 of 2 jobs done"));
    EXPECT_THAT(ended.output, HasSubstr("1 left: run the same command to do them"));
    const std::string results = read("plan.jsonl");
    EXPECT_EQ(std::count(results.begin(), results.end(), '\n'), 1);
  }
}

TEST_F(InterruptedSweep, KilledItLeavesNoProcess) {
  std::vector<pid_t> processes;
  {
    Program program({"sweep", path("plan.toml")});
    ASSERT_TRUE(is_hanging(program));
    processes = program.children();
  }  // killed
  EXPECT_TRUE(all_end(processes));
}

// ----- optimize

TEST_F(Interrupted, AnOptimizationWritesNoHalfOfAFile) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Program program({"optimize", "zoo:squeezenet1_1?resolution=64", "-o", path("fast.onnx"),
                     "--engine", "fake:fail=hang", "--precision", "fp32", "--threads", "1",
                     "--max-time", "10min"});
    ASSERT_TRUE(program.shows("fake:fail=hang   0 %"));
    const auto ended = interrupt(program, signal);
    EXPECT_EQ(ended.errors,
              fmt::format("strata: interrupted: {} was not written\n", path("fast.onnx")));
    EXPECT_FALSE(exists("fast.onnx"));
    EXPECT_FALSE(exists("fast.onnx.receipt.json"));
  }
}

}  // namespace
}  // namespace strata
