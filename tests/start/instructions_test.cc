// What a whole process costs, the dynamic linker included, in instructions: they do not depend on
// what else the machine does. The ceilings leave a third more than what was measured with g++ 12
// and the standard library's assertions, for other compilers and other versions of libraries; the
// options of one more command, or one large library more, do not fit below them.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

namespace {

// Instructions that valgrind counts for a command line; nullopt if it cannot be run or prints no
// count.
std::optional<std::int64_t> instructions_of(const std::string& arguments) {
  const std::string counted =
      std::string("valgrind --tool=callgrind --callgrind-out-file=/dev/null ") + STRATA_BINARY +
      " " + arguments + " 2>&1 >/dev/null";
  std::FILE* pipe = ::popen(counted.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string text;
  char piece[4096];
  while (const std::size_t got = std::fread(piece, 1, sizeof piece, pipe)) text.append(piece, got);
  if (::pclose(pipe) != 0) return std::nullopt;
  const std::size_t at = text.find("Collected : ");
  if (at == text.npos) return std::nullopt;
  return std::stoll(text.substr(at + 12));
}

class Start : public testing::Test {
 protected:
  void SetUp() override {
#ifdef STRATA_SANITIZED
    GTEST_SKIP() << "sanitizers and valgrind do not go together";
#endif
  }
  static void expect_at_most(const std::string& arguments, std::int64_t most) {
    const auto count = instructions_of(arguments);
    ASSERT_TRUE(count) << "valgrind is not installed; deps/install.sh test brings it";
    EXPECT_LE(*count, most) << "strata " << arguments;
    EXPECT_GT(*count, 100'000) << "strata " << arguments;  // it did run
  }
};

TEST_F(Start, TheVersion) { expect_at_most("--version", 4'000'000); }

TEST_F(Start, HelpOfOneCommand) { expect_at_most("payload --help", 5'000'000); }

TEST_F(Start, AProfileOfMobileNet) {
  expect_at_most(std::string("stat ") + STRATA_SOURCE_DIR + "/tests/models/mobilenet_v2.onnx",
                 16'000'000);
}

}  // namespace
