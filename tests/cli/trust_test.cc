// A model file is not trusted: whatever it has its engine do, the user's files stay as they are, no
// program is started, and the command ends with a sentence.
#include "program_folder.h"
#include "terminal_program.h"

namespace strata {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kModel = "'zoo:squeezenet1_1?resolution=32'";

struct Command {
  std::string name, line;  // {} is the engine with its options
  bool has_rows = false;   // a variant that fails is a row of a table
};

// Every command that runs a model.
const Command kCommands[] = {
    {"stat --time", "stat {model} --time --engine {}"},
    {"stat --memory", "stat {model} --memory --engine {}"},
    {"check", "check {model} --time --budget latency=10s --engine {}"},
    {"calibrate", "calibrate {model} --random --samples 2 --engine {}"},
    {"sensitivity", "sensitivity {model} --random --samples 2 --engine {}"},
    {"quantize", "quantize {model} --random --samples 2 --no-time -o int8.onnx --engine {}"},
    {"bench", "bench {model} --max-time 300ms --processes 1 --engine {}", true},
    {"optimize",
     "optimize {model} -o fast.onnx --max-time 300ms --precision fp32 --threads 1 --engine {}",
     true},
};

class Trust : public ProgramFolder {
 protected:
  static std::string line(const Command& command, const std::string& engine) {
    std::string text = command.line;
    text.replace(text.find("{model}"), 7, kModel);
    return text.replace(text.find("{}"), 2, engine);
  }
  static void expect_sentence(const Command& command, const Ran& ran, const std::string& sentence) {
    EXPECT_EQ(ran.code, 1) << command.name << "\n" << ran.text;
    EXPECT_THAT(ran.text, ContainsRegex(sentence)) << command.name;
    if (command.has_rows) return;
    EXPECT_THAT(ran.text, StartsWith("strata: ")) << command.name;
    EXPECT_EQ(std::count(ran.text.begin(), ran.text.end(), '\n'), 1) << ran.text;
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
};

TEST_F(Trust, WhatAModelMustNotDoIsRefused) {
  const std::pair<std::string, std::string> ways[] = {
      {"write", "cannot write: Permission denied"},
      {"connect", "cannot connect: Operation not permitted"},
      {"fork", "cannot fork: Operation not permitted"},
      {"start", "cannot start: Operation not permitted"}};
  for (const Command& command : kCommands)
    for (const auto& [way, sentence] : ways) {
      expect_sentence(command, strata(line(command, "fake:fail=" + way)), sentence);
      EXPECT_FALSE(exists("written_by_the_model")) << command.name;
    }
}

// The confinement is what refuses it: without it, the same model writes its file.
TEST_F(Trust, AUserMayTrustAModel) {
  for (const Command& command : kCommands) {
    const Ran ran = strata(line(command, "fake:fail=write") + " --trust-model");
    EXPECT_EQ(ran.code, 0) << command.name << "\n" << ran.text;
    EXPECT_TRUE(exists("written_by_the_model")) << command.name;
    for (const char* file : {"written_by_the_model", "int8.onnx", "fast.onnx"})
      std::filesystem::remove(folder_ / file);
  }
}

TEST_F(Trust, AnEngineThatAbortsOrHangsWhenItIsLoadedIsASentence) {
  for (const Command& command : kCommands) {
    expect_sentence(command,
                    shell("STRATA_FAKE_LOAD=crash " STRATA_BINARY " " + line(command, "fake")),
                    "fake crashed .SIGABRT: Aborted");
    expect_sentence(command,
                    shell("STRATA_FAKE_LOAD=hang " STRATA_BINARY " " + line(command, "fake") +
                          " --max-wait 1s"),
                    "(no answer in 1 s|did not answer within 1 s)");
  }
}

TEST_F(Trust, AnEngineThatHangsCanBeInterrupted) {
  for (const Command& command : kCommands) {
    ::setenv("STRATA_FAKE_LOAD", "hang", 1);
    Words words;
    std::istringstream text(line(command, "fake"));
    for (std::string word; text >> word;) {
      std::erase(word, '\'');
      words.push_back(word.ends_with(".onnx") ? path(word) : word);
    }
    Program program(words);
    ::unsetenv("STRATA_FAKE_LOAD");
    for (int i = 0; i < 6000 && program.children().empty(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const auto processes = program.children();
    ASSERT_FALSE(processes.empty()) << command.name;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // until it handles the signal
    program.type_control_c();
    const auto ended = program.wait();
    EXPECT_THAT(ended.exit_code, AnyOf(130, 1)) << command.name << ended.errors;
    EXPECT_THAT(ended.errors, StartsWith("strata: ")) << command.name;
    EXPECT_TRUE(all_end(processes)) << command.name;
  }
}

// A folder of the user's that is called as strata calls its own, and is older than any of them.
TEST_F(Trust, FoldersInTmpdirAreTheUsers) {
  const Ran ran = shell(
      "mkdir -p tmp/strata.backup && echo 'ten years' >tmp/strata.backup/thesis.txt && "
      "touch -d '2 days ago' tmp/strata.backup tmp/strata.backup/thesis.txt && "
      "TMPDIR=$PWD/tmp " STRATA_BINARY " " +
      line(kCommands[6], "fake"));
  EXPECT_EQ(ran.code, 0) << ran.text;
  EXPECT_EQ(read("tmp/strata.backup/thesis.txt"), "ten years\n");
  // Its own are gone.
  const auto left = std::distance(std::filesystem::directory_iterator(folder_ / "tmp"),
                                  std::filesystem::directory_iterator());
  EXPECT_EQ(left, 1);
}

// ----- results that are not complete

// The second of the variants hangs in its first run.
const Words kBench = {"bench",       "zoo:squeezenet1_1?resolution=32",
                      "--engine",    "fake",
                      "--max-time",  "500ms",
                      "--processes", "1"};

TEST_F(Trust, AnInterruptedBenchLeavesTheEarlierResult) {
  const std::string file = path("bench.json");
  {
    Program whole(with(kBench, {"-o", file}));
    ASSERT_EQ(whole.wait().exit_code, 0);
  }
  const std::string before = read("bench.json");
  ASSERT_THAT(before, StartsWith("{"));
  EXPECT_FALSE(exists("bench.json.partial"));

  Words hanging = kBench;
  hanging[3] = "fake:fail=hang";
  for (const char* earlier : {"bench.json", "new.json"}) {
    Program program(with(hanging, {"-o", path(earlier), "--max-wait", "10min"}));
    ASSERT_TRUE(program.shows("fail=hang"));
    program.type_control_c();
    const auto ended = program.wait();
    EXPECT_EQ(ended.exit_code, 130);
    EXPECT_EQ(ended.errors, "strata: interrupted before anything was measured\n");
  }
  EXPECT_EQ(read("bench.json"), before);
  EXPECT_FALSE(exists("new.json"));
  EXPECT_FALSE(exists("bench.json.partial"));
}

// One model is measured, and the other hangs.
TEST_F(Trust, WhatWasMeasuredGoesToAPartialFile) {
  write("bench.json", "{\n  \"kind\": \"bench\", \"mine\": 1}");
  Program program({"bench", "zoo:squeezenet1_1?resolution=32", "zoo:squeezenet1_0?resolution=32",
                   "--engine", "fake:fail=hang,after=1000000", "--max-time", "400ms", "--processes",
                   "1", "--until", "0.01%", "-o", path("bench.json")});
  ASSERT_TRUE(program.shows("squeezenet1_0"));
  program.type_control_c();
  const auto ended = program.wait();
  EXPECT_EQ(ended.exit_code, 130);
  EXPECT_EQ(ended.errors,
            fmt::format("strata: interrupted: what was measured is in {0}.partial; {0} was left as "
                        "it was\n",
                        path("bench.json")));
  EXPECT_EQ(read("bench.json"), "{\n  \"kind\": \"bench\", \"mine\": 1}");
  EXPECT_THAT(read("bench.json.partial"), AllOf(HasSubstr("squeezenet1_1"), EndsWith("}\n")));
}

TEST_F(Trust, AnInterruptedProfileGoesToAPartialFile) {
  write("profile.json", "{\n  \"kind\": \"profile\"}");
  Program program({"stat", "zoo:squeezenet1_1?resolution=64", "--time", "--engine",
                   "fake:fail=hang,at=27", "--runs", "500", "--warmup", "1", "-o",
                   path("profile.json")});
  ASSERT_TRUE(program.shows("measuring   8 %"));
  program.type_control_c();
  const auto ended = program.wait();
  EXPECT_EQ(ended.exit_code, 130);
  EXPECT_THAT(ended.errors, HasSubstr("profile.json.partial; "));
  EXPECT_EQ(read("profile.json"), "{\n  \"kind\": \"profile\"}");
  EXPECT_THAT(read("profile.json.partial"), HasSubstr("\"partial\": true"));
}

// A journal that is to be written anew stays until the new one is complete.
TEST_F(Trust, AnInterruptedSensitivitySaysHowToGoOn) {
  const Words plain = {"sensitivity",
                       "zoo:squeezenet1_1?resolution=32",
                       "--random",
                       "--samples",
                       "8",
                       "-o",
                       path("scores.json"),
                       "--engine",
                       "fake:spin=10000000"};
  {
    Program whole(plain);
    ASSERT_EQ(whole.wait().exit_code, 0);
  }
  const std::string before = read("scores.json");
  {
    Program program(with(plain, {"--fresh"}));
    for (int i = 0; i < 6000 && !exists("scores.json.partial"); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    program.type_control_c();
    const auto ended = program.wait();
    EXPECT_EQ(ended.exit_code, 130);
    EXPECT_EQ(ended.errors,
              fmt::format("strata: interrupted: the scores so far are in {}.partial; run the same "
                          "command without --fresh to resume\n",
                          path("scores.json")));
    EXPECT_EQ(read("scores.json"), before);
    EXPECT_TRUE(exists("scores.json.partial"));
  }
  Program rest(plain);
  const auto ended = rest.wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_FALSE(exists("scores.json.partial"));
}

}  // namespace
}  // namespace strata
