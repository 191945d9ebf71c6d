// `strata stat --time` when something goes wrong: a sentence and an exit code, whatever the
// engine does.
#include <nlohmann/json.hpp>

#include "strata/engine/engine.h"
#include "terminal_program.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const Words kSmall = {"stat", "zoo:squeezenet1_1?resolution=64", "--time", "--engine", "fake"};
const std::string kName = "zoo:squeezenet1_1?resolution=64";

// kSmall on an engine with these options.
Words failing(const std::string& options) {
  Words words = kSmall;
  words.back() += ":" + options;
  return words;
}

Program::Ended run(const Words& words, rlim_t most_memory = RLIM_INFINITY) {
  return Program(words, most_memory).wait();
}

// One line that begins with the program's name, and nothing on stdout.
void expect_sentence(const Program::Ended& ended, int exit_code) {
  EXPECT_EQ(ended.exit_code, exit_code) << ended.errors;
  EXPECT_EQ(ended.signal, 0);
  EXPECT_THAT(ended.output, IsEmpty());
  EXPECT_THAT(ended.errors, StartsWith("strata: "));
  EXPECT_EQ(std::count(ended.errors.begin(), ended.errors.end(), '\n'), 1) << ended.errors;
}

// Never answers, from the first run on.
const Words kHanging = failing("fail=hang");

// ----- engines that die

TEST(Crash, IsASentence) {
  const auto ended = run(failing("fail=crash"));
  expect_sentence(ended, 1);
  EXPECT_THAT(ended.errors, AllOf(HasSubstr(kName), HasSubstr("engine fake crashed (SIGABRT: ")));
}

TEST(Crash, SoIsBeingKilled) {
  Program program(kHanging);
  ASSERT_TRUE(program.shows("opening"));
  const pid_t child = program.child();
  ASSERT_GT(child, 0);
  ::kill(child, SIGKILL);
  const auto ended = program.wait();
  expect_sentence(ended, 1);
  EXPECT_THAT(ended.errors, AllOf(HasSubstr("engine fake was killed (SIGKILL)"), HasSubstr(kName)));
}

TEST(Crash, OfStrataItselfLeavesNoProcess) {
  pid_t child = 0;
  {
    Program program(kHanging);
    ASSERT_TRUE(program.shows("opening"));
    child = program.child();
    ASSERT_GT(child, 0);
  }  // killed
  for (int i = 0; i < 600 && ::kill(child, 0) == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_NE(::kill(child, 0), 0);
}

TEST(Failure, OfTheEngineIsASentence) {
  auto ended = run(failing("fail=oom"));
  expect_sentence(ended, 1);
  EXPECT_THAT(ended.errors, HasSubstr("memory"));
  ended = run(failing("fail=error,at=1"));
  expect_sentence(ended, 1);
  ended = run(failing("fail=unsupported"));
  expect_sentence(ended, 1);
}

// Sanitizers take more address space than any limit allows.
#if !defined(STRATA_SANITIZED)
TEST(Failure, OfMemoryThatEndsIsASentence) {
  if (!load_engine("onnxruntime")) GTEST_SKIP() << "there is no ONNX Runtime";
  constexpr rlim_t kMega = 1 << 20;
  // 616 MB of activations; weights of half a gigabyte.
  for (const char* model : {"zoo:mobilenet_v2?batch=64", "zoo:vgg16"}) {
    const auto ended = run({"stat", model, "--time", "--runs", "2"}, 500 * kMega);
    expect_sentence(ended, 1);
    EXPECT_THAT(ended.errors, HasSubstr("memory")) << model;
  }
}
#endif

// ----- engines and operators that are not there

TEST(Engines, ThatAreNotThereAreLookedForInPlacesThatAreListed) {
  const auto ended = run({"stat", kName, "--time", "--engine", "abacus", "--engine-path", "/one"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.errors,
              AllOf(StartsWith("strata: no engine \"abacus\" on this machine; looked for\n"),
                    HasSubstr("\n  /one/libstrata_engine_abacus.so: not there\n"),
                    HasSubstr("/engines/libstrata_engine_abacus.so: not there\n  `make engines`")));
}

TEST(Engines, NameTheOperatorThatTheyLack) {
  for (const std::string& engine : engine_names()) {
    const std::string model = STRATA_SOURCE_DIR "/tests/cli/models/custom_op.onnx";
    const auto ended = run({"stat", model, "--time", "--engine", engine});
    expect_sentence(ended, 1);
    if (engine == "torch")  // which opens no ONNX files at all
      EXPECT_THAT(ended.errors, HasSubstr("it is not a TorchScript file or package"));
    else
      EXPECT_THAT(ended.errors, AllOf(HasSubstr("Frob"), HasSubstr("frob"))) << engine;
  }
}

// ----- inputs

// A .npy file of zeros.
std::string zeros(const std::string& name, const std::string& type, const std::string& shape,
                  std::size_t bytes) {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, shape);
  header.resize(117, ' ');
  header += '\n';
  std::string path = fmt::format("{}{}_{}", testing::TempDir(), ::getpid(), name);
  std::ofstream file(path, std::ios::binary);
  file << "\x93NUMPY" << '\x01' << '\x00' << static_cast<char>(header.size()) << '\x00' << header
       << std::string(bytes, '\0');
  return path;
}

TEST(Inputs, ThatAreWrongAreToldWhatIsExpected) {
  constexpr std::size_t kElements = 3 * 64 * 64;
  const std::string good = zeros("good.npy", "<f4", "1, 3, 64, 64", 4 * kElements);
  const auto tried = [](const std::string& inputs) {
    return run(with(kSmall, {"--runs", "2", "--input", inputs}));
  };
  EXPECT_EQ(tried(good).exit_code, 0);
  EXPECT_EQ(tried("input=" + good).exit_code, 0);

  auto ended = tried(zeros("shape.npy", "<f4", "1, 3, 32, 128", 4 * kElements));
  expect_sentence(ended, 2);
  EXPECT_THAT(ended.errors, AllOf(HasSubstr("1×3×32×128"), HasSubstr("1×3×64×64")));
  ended = tried(zeros("dtype.npy", "<i4", "1, 3, 64, 64", 4 * kElements));
  expect_sentence(ended, 2);
  EXPECT_THAT(ended.errors, AllOf(HasSubstr("i32"), HasSubstr("f32")));
  ended = tried("picture=" + good);
  expect_sentence(ended, 2);
  EXPECT_THAT(ended.errors, AllOf(HasSubstr("picture"), HasSubstr("\"input\"")));
  for (const char* name : {"good.npy", "shape.npy", "dtype.npy"})
    fs::remove(fmt::format("{}{}_{}", testing::TempDir(), ::getpid(), name));
}

// ----- the receipt

TEST(Receipt, HasTheMachineInEveryFormatThatHasNotes) {
  for (const char* what : {"--time", "--memory"}) {
    Words words = {"stat", kName, what, "--engine", "fake", "--format"};
    if (what == std::string_view("--time")) words.insert(words.begin() + 3, {"--runs", "4"});
    const auto json = nlohmann::json::parse(run(with(words, {"json"})).output, nullptr, false);
    ASSERT_TRUE(json.is_object());
    for (const char* fact : {"cores", "load", "kernel"})
      EXPECT_TRUE(json["machine"].contains(fact)) << what << " " << fact;
    EXPECT_THAT(run(with(words, {"table", "--notes"})).output, HasSubstr("\nMachine: "));
    EXPECT_THAT(run(with(words, {"md"})).output, HasSubstr("\n- Machine: "));
    EXPECT_THAT(run(with(words, {"csv"})).output, Not(HasSubstr("Machine")));
  }
  EXPECT_THAT(run({"stat", kName, "--format", "json"}).output, Not(HasSubstr("\"machine\"")));
}

}  // namespace
}  // namespace strata
