// Sweeps run by the program: finished jobs are kept, whatever happens in between.
#include <algorithm>
#include <cstdlib>

#include <gmock/gmock.h>

#include "program_folder.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class Sweep : public ProgramFolder {
 protected:
  void SetUp() override {
    ProgramFolder::SetUp();
    write("plan.toml",
          "models = [\"zoo:squeezenet1_1?resolution=64\"]\n"
          "[bench]\n"
          "engine = \"fake\"\n"
          "processes = 1\n"
          "max-time = \"300ms\"\n"
          "[axes]\n"
          "seed = [1, 2, 3]\n");
  }
  static std::size_t lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
};

TEST_F(Sweep, GoesOnWhereItWas) {
  const Ran first = strata("sweep plan.toml");
  ASSERT_EQ(first.code, 0) << first.text;
  EXPECT_THAT(first.text, HasSubstr("3 of 3 jobs done (0 of them before)"));
  const std::string whole = read("plan.jsonl");
  ASSERT_EQ(lines(whole), 3u);

  // This is what a crash in the middle of the third line would leave.
  const std::size_t second = whole.find('\n', whole.find('\n') + 1) + 1;
  fs::resize_file(folder_ / "plan.jsonl", second + 100);
  const Ran again = strata("sweep plan.toml");
  EXPECT_EQ(again.code, 0) << again.text;
  EXPECT_THAT(again.text, HasSubstr("an unfinished last line was taken off"));
  EXPECT_THAT(again.text, HasSubstr("3 of 3 jobs done (2 of them before)"));
  EXPECT_EQ(lines(read("plan.jsonl")), 3u);
  EXPECT_EQ(read("plan.jsonl").substr(0, second), whole.substr(0, second));

  const Ran nothing = strata("sweep plan.toml");
  EXPECT_EQ(nothing.code, 0);
  EXPECT_THAT(nothing.text, HasSubstr("3 of 3 jobs done (3 of them before)"));
}

TEST_F(Sweep, PartsMergeIntoTheWhole) {
  ASSERT_EQ(strata("sweep plan.toml --shard 1/2 -o one.jsonl").code, 0);
  ASSERT_EQ(strata("sweep plan.toml --shard 2/2 -o two.jsonl").code, 0);
  EXPECT_EQ(lines(read("one.jsonl")), 2u);
  EXPECT_EQ(lines(read("two.jsonl")), 1u);
  const Ran merged = strata("merge one.jsonl two.jsonl one.jsonl -o plan.jsonl");
  EXPECT_EQ(merged.code, 0) << merged.text;
  EXPECT_THAT(merged.text, HasSubstr("5 entries from 3 files: 3 jobs, 0 of them failed"));
  EXPECT_THAT(strata("sweep plan.toml").text, HasSubstr("3 of 3 jobs done (3 of them before)"));
}

TEST_F(Sweep, AJobThatFailsIsWrittenDownAndTheRestGoesOn) {
  write("bad.toml",
        "models = [\"zoo:none\", \"zoo:squeezenet1_1\"]\n"
        "[bench]\nengine = \"fake\"\nprocesses = 1\nmax-time = \"300ms\"\n");
  const Ran ran = strata("sweep bad.toml");
  EXPECT_EQ(ran.code, 0) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("there is no network \"none\" in the zoo"));
  EXPECT_THAT(ran.text, HasSubstr("2 of 2 jobs done"));
  EXPECT_THAT(strata("sweep bad.toml --retry").text, HasSubstr("(1 of them before)"));
}

// The model has the same size and name, but other weights.
TEST_F(Sweep, AModelThatHasChangedIsMeasuredAgain) {
  const auto make_model = [&](int seed) {
    const Ran made = strata("zoo export 'squeezenet1_1?resolution=64' -o mine.onnx --seed " +
                            std::to_string(seed));
    ASSERT_EQ(made.code, 0) << made.text;
  };
  write("files.toml",
        "models = [\"mine.onnx\", \"zoo:squeezenet1_1?resolution=64\"]\n"
        "[bench]\nengine = \"fake\"\nprocesses = 1\nmax-time = \"300ms\"\n");
  make_model(1);
  ASSERT_EQ(strata("sweep files.toml").code, 0);
  EXPECT_THAT(strata("sweep files.toml").text, HasSubstr("2 of 2 jobs done (2 of them before)"));
  make_model(2);
  const Ran again = strata("sweep files.toml");
  EXPECT_EQ(again.code, 0) << again.text;
  EXPECT_THAT(again.text,
              HasSubstr("files.jsonl: 1 job is done again, as the model has changed since\n"));
  EXPECT_THAT(again.text, HasSubstr("2 of 2 jobs done (1 of them before)"));
  EXPECT_EQ(lines(read("files.jsonl")), 3u);
  const Ran nothing = strata("sweep files.toml");
  EXPECT_THAT(nothing.text, HasSubstr("2 of 2 jobs done (2 of them before)"));
  EXPECT_THAT(nothing.text, Not(HasSubstr("again")));
}

// Runs the command that Slurm would start for its second task.
TEST_F(Sweep, TheScriptForSlurmRunsItsPart) {
  const Ran script = strata("sweep plan.toml --emit slurm --shards 3");
  ASSERT_EQ(script.code, 0);
  write("job.sh", script.text);
  fs::create_directory(folder_ / "bin");
  fs::create_symlink(STRATA_BINARY, folder_ / "bin" / "strata");
  const std::string command = "cd '" + folder_.string() +
                              "' && PATH=\"$PWD/bin:$PATH\" SLURM_ARRAY_TASK_ID=2 sh job.sh "
                              "> out.txt 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0) << read("out.txt");
  EXPECT_EQ(lines(read("plan.2.jsonl")), 1u);
  EXPECT_THAT(read("plan.2.jsonl"), HasSubstr("--seed 2"));
}

TEST_F(Sweep, TheScriptForMakeRunsAll) {
  const Ran script = strata("sweep plan.toml --emit make --shards 2");
  ASSERT_EQ(script.code, 0);
  write("parts.mk", script.text);
  fs::create_directory(folder_ / "bin");
  fs::create_symlink(STRATA_BINARY, folder_ / "bin" / "strata");
  const std::string command =
      "cd '" + folder_.string() + "' && PATH=\"$PWD/bin:$PATH\" make -f parts.mk > out.txt 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0) << read("out.txt");
  EXPECT_EQ(lines(read("plan.jsonl")), 3u);
}

}  // namespace
}  // namespace strata
