#include "strata/task/sweep_scripts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::HasSubstr;

SweepScript script() {
  SweepScript out{"it's", 3, 2, "out/r.jsonl"};
  out.run = [](const std::string& part, const std::string& output) {
    return "run " + shell_word("my $plan") + " " + part + " > " + output;
  };
  out.merge = [](const std::string& files, const std::string& output) {
    return "join " + files + " > " + output;
  };
  return out;
}

TEST(SweepScripts, SlurmRunsOnePartPerTask) {
  EXPECT_EQ(slurm_script(script()).value(),
            "#!/bin/sh\n"
            "# 3 jobs in 2 parts; then: join out/r.*.jsonl > out/r.jsonl\n"
            "#SBATCH --job-name='it'\\''s'\n"
            "#SBATCH --array=1-2\n"
            "#SBATCH --ntasks=1\n"
            "#SBATCH --exclusive\n"
            "#SBATCH --requeue\n"
            "set -eu\n"
            "exec run 'my $plan' \"$SLURM_ARRAY_TASK_ID/2\" > "
            "out/r.\"$SLURM_ARRAY_TASK_ID\".jsonl\n");
}

TEST(SweepScripts, MakeHasATargetForEachPart) {
  EXPECT_EQ(make_script(script()).value(),
            "# 3 jobs in 2 parts: make -f THIS -j 1; a part that was interrupted goes on\n"
            ".PHONY: all out/r.1.jsonl out/r.2.jsonl\n"
            "all: out/r.jsonl\n"
            "out/r.jsonl: out/r.1.jsonl out/r.2.jsonl\n"
            "\tjoin out/r.1.jsonl out/r.2.jsonl > $@\n"
            "out/r.1.jsonl:\n"
            "\trun 'my $$plan' 1/2 > $@\n"
            "out/r.2.jsonl:\n"
            "\trun 'my $$plan' 2/2 > $@\n");
}

// A comment ends with its line, whatever is quoted in it.
TEST(SweepScripts, ALineBreakInANameIsRefused) {
  for (const auto write : {slurm_script, make_script}) {
    SweepScript named = script();
    named.name = "x\ntouch injected\n#";
    const auto refused = write(named);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::Usage);
    EXPECT_THAT(refused.error().message, HasSubstr("\"x\\x0atouch injected\\x0a#\""));
    SweepScript written = script();
    written.output = "a\nb.jsonl";
    EXPECT_FALSE(write(written));
    SweepScript planned = script();
    planned.run = [](const std::string&, const std::string&) { return "run 'a\rb'"; };
    EXPECT_FALSE(write(planned));
  }
}

TEST(SweepScripts, MakeWouldExpandSomeNames) {
  for (const char* output : {"$(shell touch x).jsonl", "a b.jsonl", "a:b", "a%", "a=b", "a#b"}) {
    SweepScript named = script();
    named.output = output;
    EXPECT_FALSE(make_script(named)) << output;
    EXPECT_TRUE(slurm_script(named)) << output;
  }
}

TEST(SweepScripts, WordsAreQuotedWhereTheyMustBe) {
  EXPECT_EQ(shell_word("a/b-c.toml"), "a/b-c.toml");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace strata
