// An engine that takes its process with it: the command says so in one sentence, and what was
// measured is kept.
#include "program_folder.h"
#include "terminal_program.h"

namespace strata {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

struct Way {
  std::string name, sentence;
};
const Way kWays[] = {{"crash", "engine fake crashed (SIGABRT: Aborted)"},
                     {"exit", "engine fake ended its process (exit code 3)"},
                     {"kill",
                      "engine fake was killed (SIGKILL), as the system does when memory "
                      "ends"}};
const std::string kModel = "zoo:squeezenet1_1?resolution=32";

class Isolation : public ProgramFolder {
 protected:
  // A command on random samples, whose engine fails in this run.
  static std::string command(const std::string& name, const std::string& way, int at,
                             const std::string& more = "") {
    return fmt::format("{} '{}' --random --samples 4 --engine fake:fail={},at={}{}", name, kModel,
                       way, at, more);
  }
  static Words words(const std::string& name, const std::string& way, int at) {
    return {name,
            kModel,
            "--random",
            "--samples",
            "4",
            "--engine",
            fmt::format("fake:fail={},at={}", way, at)};
  }
  static void expect_one_sentence(const Ran& ran, const Way& way) {
    EXPECT_EQ(ran.code, 1) << ran.text;
    EXPECT_THAT(ran.text, StartsWith("strata: " + kModel + ": " + way.sentence));
    EXPECT_THAT(ran.text, EndsWith("; try another --engine, or this one with other "
                                   "options or --threads\n"));
    EXPECT_EQ(std::count(ran.text.begin(), ran.text.end(), '\n'), 1) << ran.text;
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
};

TEST_F(Isolation, ACommandWhoseEngineDiesSaysSo) {
  for (const Way& way : kWays) {
    for (const char* what : {"--time", "--memory"})
      expect_one_sentence(
          strata(fmt::format("stat '{}' {} --engine fake:fail={}", kModel, what, way.name)), way);
    expect_one_sentence(strata(command("calibrate", way.name, 1)), way);
    expect_one_sentence(strata(command("sensitivity", way.name, 1)), way);
    expect_one_sentence(strata(command("quantize", way.name, 1) + " -o int8.onnx --no-time"), way);
    EXPECT_FALSE(exists("int8.onnx"));
  }
}

// Every run takes 1.1 s, so that results are kept before the fourth run, which fails. The second
// command has three runs at most to make.
TEST_F(Isolation, TheSameCommandGoesOnAfterADeath) {
  const std::string line = command("calibrate", "crash", 3, ",spin=1100000000") + " -o ranges.json";
  const Ran died = strata(line);
  EXPECT_EQ(died.code, 1);
  EXPECT_THAT(died.text, HasSubstr("; what was measured before is in ranges.json.part, from which "
                                   "the same job resumes; try another"));
  const Ran second = strata(line);
  EXPECT_EQ(second.code, 0) << second.text;
  EXPECT_THAT(second.text, HasSubstr("going on after "));
  EXPECT_TRUE(exists("ranges.json"));
  EXPECT_FALSE(exists("ranges.json.part"));
}

class IsolatedAndInterrupted : public Isolation {
 protected:
  // Two of four samples are done, and the third is started right after that is shown.
  static bool is_in_third_run(Program& program) {
    const bool shown = program.shows("calibrating  50 %");
    std::this_thread::sleep_for(std::chrono::seconds(1));
    return shown;
  }
  static Program::Ended interrupted(Program& program) {
    const auto processes = program.children();
    EXPECT_THAT(processes, Not(IsEmpty()));
    program.type_control_c();
    auto ended = program.wait();
    EXPECT_TRUE(all_end(processes));
    return ended;
  }
};

// The run that hangs is cancelled, and what was seen before it is printed and kept.
TEST_F(IsolatedAndInterrupted, AHangingEngineIsStopped) {
  Program calibrating(with(words("calibrate", "hang", 2), {"-o", path("ranges.json")}));
  ASSERT_TRUE(is_in_third_run(calibrating));
  const auto ended = interrupted(calibrating);
  EXPECT_EQ(ended.exit_code, 130);
  EXPECT_THAT(ended.output, HasSubstr("2 of 4"));
  EXPECT_TRUE(exists("ranges.json"));

  Program measuring(words("sensitivity", "hang", 2));
  ASSERT_TRUE(is_in_third_run(measuring));
  EXPECT_EQ(interrupted(measuring).errors, "strata: stopped before a layer was measured\n");

  Program quantizing(with(words("quantize", "hang", 2), {"-o", path("int8.onnx"), "--no-time"}));
  ASSERT_TRUE(is_in_third_run(quantizing));
  interrupted(quantizing);
  EXPECT_FALSE(exists("int8.onnx"));
}

// One that cannot be cancelled is ended after a few seconds.
TEST_F(IsolatedAndInterrupted, AnEngineThatDoesNotStopIsEnded) {
  Program program(words("calibrate", "stuck", 2));
  ASSERT_TRUE(is_in_third_run(program));
  const auto ended = interrupted(program);
  EXPECT_EQ(ended.exit_code, 130);
  EXPECT_EQ(ended.errors,
            "strata: " + kModel + ": engine fake did not stop when asked to and was killed\n");
  EXPECT_THAT(ended.output, IsEmpty());
}

// A second Ctrl-C does not wait for that.
TEST_F(IsolatedAndInterrupted, ASecondInterruptEndsTheProgram) {
  Program program(words("sensitivity", "stuck", 2));
  ASSERT_TRUE(is_in_third_run(program));
  program.type_control_c();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const auto ended = interrupted(program);
  EXPECT_EQ(ended.signal, SIGINT);
}

TEST_F(IsolatedAndInterrupted, KilledItLeavesNoProcess) {
  std::vector<pid_t> processes;
  {
    Program program(words("calibrate", "stuck", 2));
    ASSERT_TRUE(is_in_third_run(program));
    processes = program.children();
    EXPECT_THAT(processes, Not(IsEmpty()));
  }  // killed
  EXPECT_TRUE(all_end(processes));
}

// The system's killer takes the process with the engine, not the command.
TEST_F(IsolatedAndInterrupted, AKilledChildIsASentence) {
  Program program(words("calibrate", "stuck", 2));
  ASSERT_TRUE(is_in_third_run(program));
  ASSERT_NE(program.child(), 0);
  ::kill(program.child(), SIGKILL);
  const auto ended = program.wait();
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.errors, StartsWith("strata: " + kModel + ": " + kWays[2].sentence));
}

}  // namespace
}  // namespace strata
