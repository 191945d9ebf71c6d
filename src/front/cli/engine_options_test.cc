#include "cli/engine_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "options/options.h"
#include "strata/machine/machine.h"

namespace strata::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<EngineRequest> request(const std::string& line) {
  EngineOptions options;
  App app;
  options.add_to(app);
  const auto parsed = app.parse(line);
  EXPECT_TRUE(parsed) << parsed.error().message;
  return options.request();
}

std::string complaint(const std::string& line) {
  const auto read = request(line);
  return read ? "" : read.error().message;
}

TEST(EngineOptions, TheDefaultIsOneThreadAndAllOptimizations) {
  const auto usual = request("");
  ASSERT_TRUE(usual);
  EXPECT_EQ(usual->engine, "onnxruntime");
  EXPECT_EQ(usual->threads, 1);
  EXPECT_EQ(usual->optimization, STRATA_OPT_ALL);
}

TEST(EngineOptions, AnEngineHasItsOptionsBehindIt) {
  const auto own = request("--engine fake:noise=0.1,opt=off,seed=3 --device cpu --threads 2");
  ASSERT_TRUE(own) << own.error().message;
  EXPECT_EQ(own->engine, "fake");
  EXPECT_THAT(own->own, ElementsAre("noise=0.1", "seed=3"));
  EXPECT_EQ(own->optimization, STRATA_OPT_NONE);
  EXPECT_EQ(own->device, "cpu");
  EXPECT_EQ(own->threads, 2);
  // Options as 0.1 wrote them.
  EXPECT_THAT(request("--engine fake:a=1 --engine-option b=2 --engine-option c=3")->own,
              ElementsAre("a=1", "b=2", "c=3"));
}

TEST(EngineOptions, AllThreadsAreThoseOfTheMachine) {
  EXPECT_EQ(request("--threads all")->threads, std::max(read_machine().cores, 1));
}

TEST(EngineOptions, MistakesAreNamed) {
  EXPECT_THAT(complaint("--engine fake:opt=fast"), HasSubstr("opt is off, basic"));
  for (const char* threads : {"0", "1025", "2x", "every", "-1"})
    EXPECT_THAT(complaint(std::string("--threads=") + threads),
                HasSubstr("write a number from 1 to 1024, or all"));
  // Programs tell them apart by the name of the option.
  for (const auto& [line, option] : {std::pair("--threads=0", "--threads"),
                                     {"--engine fake:opt=fast", "--engine"},
                                     {"--engine fake:precision=fp16", "--engine"}}) {
    const auto wrong = request(line);
    ASSERT_FALSE(wrong) << line;
    EXPECT_EQ(wrong.error().code, Code::OptionValue) << line;
    EXPECT_EQ(wrong.error().fields().name, option) << line;
    EXPECT_EQ(wrong.error().kind, ErrorKind::Usage) << line;
  }
}

}  // namespace
}  // namespace strata::cli
