// Counts the instructions of a whole process, the dynamic linker included: they do not depend on
// what else the machine does. The ceilings leave a third more than what was measured with g++ 12
// and the standard library's assertions, for other compilers and other versions of libraries; the
// options of one more command, or one large library more, do not fit below them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "../run_shell.h"

namespace {

class Start : public testing::Test {
 protected:
  void SetUp() override {
#ifdef STRATA_SANITIZED
    GTEST_SKIP() << "sanitizers and valgrind do not go together";
#endif
  }
  static void expect_at_most(const std::string& arguments, std::int64_t most) {
    const auto count = strata::instructions_of(STRATA_BINARY " " + arguments);
    ASSERT_TRUE(count) << "valgrind is not installed; deps/install.sh test brings it";
    EXPECT_LE(*count, most) << "strata " << arguments;
    EXPECT_GT(*count, 100'000) << "strata " << arguments;  // it did run
  }
};

TEST_F(Start, TheVersion) { expect_at_most("--version", 1'000'000); }

TEST_F(Start, HelpOfOneCommand) { expect_at_most("payload --help", 2'000'000); }

TEST_F(Start, AProfileOfMobileNet) {
  expect_at_most(std::string("stat ") + STRATA_SOURCE_DIR + "/tests/models/mobilenet_v2.onnx",
                 9'400'000);
}

// It may take 20 ms; it took some 8 ms when this many were measured.
TEST_F(Start, ADiffOfTwoResNets) {
  const std::string file = STRATA_SOURCE_DIR "/tests/models/resnet50.onnx";
  expect_at_most("diff " + file + " " + file, 27'000'000);
}

// It may take 5 ms more than a process that does nothing; it took about that on a loaded machine
// when this many were measured.
TEST_F(Start, APredictionForAllDevices) {
  expect_at_most("predict zoo:resnet50 --on all", 43'000'000);
}

// A profile as `stat` saves one. Of its layers every 25th is missing in the second, and every 30th
// has another name.
std::string large_profile(bool second) {
  std::string rows;
  for (int i = 0; i < 10'000; ++i) {
    if (second && i % 25 == 7) continue;
    const int stage = 8 + i % 64, macs = 1'000'000 + i % 777;
    rows += fmt::format(
        "{}\n      {{\"layer\": \"{}.part{}.conv\", \"type\": \"Conv2d\", \"call\": 1, \"calls\": "
        "1, "
        "\"input\": [[1,{},56,56]], \"output\": [[1,{},28,28]], \"dtype\": \"f32\", \"params\": "
        "73728, "
        "\"param_bytes\": 294912, \"macs\": {}, \"flops\": {}, \"read\": 1097728, \"write\": "
        "401408, "
        "\"mem\": 1499136, \"activation\": 401408, \"intensity\": 154.21857923497268, \"energy\": "
        "389754060.8, \"time\": 0.00031, \"time_low\": 0.0003, \"time_high\": 0.00032}}",
        rows.empty() ? "" : ",", second && i % 30 == 3 ? "stages" : "blocks", i, stage, stage, macs,
        macs);
  }
  std::string columns;
  for (const char* text : {"layer", "type", "input", "output", "dtype"})
    columns += std::string("{\"name\": \"") + text + "\", \"unit\": \"text\"}, ";
  for (const char* number :
       {"call", "calls", "params", "param_bytes", "macs", "flops", "read", "write", "mem",
        "activation", "intensity", "energy", "time_low", "time_high"})
    columns += std::string("{\"name\": \"") + number + "\", \"unit\": \"count\"}, ";
  columns += "{\"name\": \"time\", \"unit\": \"seconds\", \"additive\": true}";
  return "{\"kind\": \"profile\", \"schema\": 2, \"options\": {}, \"facts\": {}, \"notes\": [], "
         "\"tables\": {\"layers\": {\"columns\": [" +
         columns + "],\n    \"rows\": [" + rows + "]}}}\n";
}

// It may take 100 ms; it took some 60 ms when this many were measured.
TEST_F(Start, ADiffOfTwoProfilesOfTenThousandRows) {
  const std::string folder = testing::TempDir() + "start_" + std::to_string(::getpid());
  const std::string files[] = {folder + "_a.json", folder + "_b.json"};
  for (int i = 0; i < 2; ++i) std::ofstream(files[i]) << large_profile(i == 1);
  expect_at_most("diff " + files[0] + " " + files[1], 640'000'000);
  for (const std::string& file : files) std::remove(file.c_str());
}

}  // namespace
