// `strata stat --time` when something goes wrong: a sentence and an exit code, whatever the
// engine does. Ctrl-C is typed at a terminal of the test's own.
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "strata/engine/engine.h"

namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

using Words = std::vector<std::string>;

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

const Words kSmall = {"stat", "zoo:squeezenet1_1?resolution=64", "--time", "--engine", "fake"};
const std::string kName = "zoo:squeezenet1_1?resolution=64";

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// The program on a terminal: what it prints goes to a file, its errors and progress to
// the terminal, as does what is typed.
class Program {
 public:
  explicit Program(const Words& words, rlim_t most_memory = RLIM_INFINITY)
      : output_(fs::path(testing::TempDir()) / fmt::format("strata_run_{}", ::getpid())) {
    const std::string binary = STRATA_BINARY;
    std::vector<char*> arguments = {const_cast<char*>(binary.c_str())};
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_ = ::forkpty(&terminal_, nullptr, nullptr, nullptr);
    if (pid_ != 0) return;
    const int file = ::open(output_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(file, STDOUT_FILENO);
    ::setenv("COLUMNS", "100", 1);
    const rlimit limit = {most_memory, most_memory};
    ::setrlimit(RLIMIT_AS, &limit);
    ::execv(binary.c_str(), arguments.data());
    ::_exit(127);
  }
  ~Program() {
    if (pid_ > 0 && !ended_) ::kill(pid_, SIGKILL), wait();
    ::close(terminal_);
    fs::remove(output_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Whether the terminal shows it within a minute.
  bool shows(const std::string& text) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (seen_.find(text) == seen_.npos)
      if (std::chrono::steady_clock::now() > until || !read_some()) return false;
    return true;
  }
  void type_control_c() { ASSERT_EQ(::write(terminal_, "\x03", 1), 1); }
  pid_t pid() const { return pid_; }
  // The process that has the engine.
  pid_t child() const {
    for (const auto& entry : fs::directory_iterator("/proc")) {
      std::ifstream stat(entry.path() / "stat");
      std::string line;
      if (!std::getline(stat, line)) continue;
      pid_t parent = 0;
      char state = 0;
      std::istringstream(line.substr(line.rfind(')') + 1)) >> state >> parent;
      if (parent == pid_) return std::stoi(entry.path().filename().string());
    }
    return 0;
  }

  struct Ended {
    int exit_code = -1, signal = 0;
    std::string output, errors;
  };
  Ended wait() {
    while (read_some()) {
    }
    int status = 0;
    ::waitpid(pid_, &status, 0);
    ended_ = true;
    Ended ended;
    if (WIFEXITED(status)) ended.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
    ended.output = text_of(output_);
    ended.errors = what_stays(seen_);
    return ended;
  }

 private:
  // False at its end.
  bool read_some() {
    pollfd waiting = {terminal_, POLLIN, 0};
    ::poll(&waiting, 1, 1000);
    if (waiting.revents == 0) return true;
    char buffer[4096];
    const ssize_t count = ::read(terminal_, buffer, sizeof buffer);
    if (count <= 0) return false;
    seen_.append(buffer, static_cast<std::size_t>(count));
    return true;
  }
  // Without what was written over, the terminal's own line ends, and the ^C that it echoes.
  static std::string what_stays(const std::string& seen) {
    std::string all;
    std::istringstream lines(seen);
    for (std::string line; std::getline(lines, line);) {
      if (line.ends_with('\r')) line.pop_back();
      const std::size_t over = line.rfind("\r");
      if (over != line.npos) line.erase(0, over + 1);
      if (line.starts_with("\x1b[K")) line.erase(0, 3);
      if (line.starts_with("^C")) line.erase(0, 2);
      all += line + "\n";
    }
    return all == "\n" ? "" : all;
  }

  fs::path output_;
  int terminal_ = -1;
  pid_t pid_ = 0;
  bool ended_ = false;
  std::string seen_;
};

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

// ----- Ctrl-C

// Hangs in the twentieth run of each kind after the warm-up: run 0 and one warm-up before
// those of the whole, one before those that record.
Words hanging(const char* at) {
  return {"--runs",          "100",       "--warmup",        "1",
          "--engine-option", "fail=hang", "--engine-option", fmt::format("at={}", at)};
}

TEST(Interrupted, WhatWasMeasuredIsPrintedAsPartial) {
  Program program(with(with(kSmall, hanging("20")), {"--format", "json"}));
  ASSERT_TRUE(program.shows("36 %"));  // 18 of each
  program.type_control_c();
  const auto ended = program.wait();
  EXPECT_EQ(ended.exit_code, 130);
  EXPECT_EQ(ended.errors, "strata: interrupted: the results are partial\n");
  const auto json = nlohmann::json::parse(ended.output, nullptr, false);
  ASSERT_TRUE(json.is_object()) << ended.output;
  EXPECT_EQ(json["timing"]["partial"], true);
  EXPECT_EQ(json["timing"]["runs"], 18);
  EXPECT_EQ(json["timing"]["recorded_runs"], 18);
  EXPECT_EQ(json["timing"]["samples_s"].size(), 18u);
}

// A signal for the process that was started means the one that measures.
TEST(Interrupted, BySignalToo) {
  Program program(with(with(kSmall, hanging("20")), {"--memory", "--columns", "layer,mem_held"}));
  ASSERT_TRUE(program.shows("36 %"));
  ::kill(program.pid(), SIGINT);
  const auto ended = program.wait();
  EXPECT_EQ(ended.exit_code, 130);
  EXPECT_EQ(ended.errors, "strata: interrupted: the results are partial\n");
  EXPECT_THAT(ended.output, AllOf(HasSubstr("median of 18 runs"), HasSubstr("\nPartial: ")));
}

TEST(Interrupted, BeforeAnythingWasMeasuredItSaysSo) {
  Program program(with(kSmall, hanging("0")));
  ASSERT_TRUE(program.shows("opening"));
  program.type_control_c();
  const auto ended = program.wait();
  expect_sentence(ended, 130);
  EXPECT_THAT(ended.errors, HasSubstr("before anything was measured"));
}

TEST(Interrupted, ByTerminationBothProcessesEnd) {
  Program program(with(kSmall, hanging("0")));
  ASSERT_TRUE(program.shows("opening"));
  const pid_t child = program.child();
  ASSERT_GT(child, 0);
  ::kill(program.pid(), SIGTERM);
  EXPECT_EQ(program.wait().signal, SIGTERM);
  EXPECT_NE(::kill(child, 0), 0);
}

// ----- engines that die

TEST(Crash, IsASentence) {
  const auto ended = run(with(kSmall, {"--engine-option", "fail=crash"}));
  expect_sentence(ended, 1);
  EXPECT_THAT(ended.errors, AllOf(HasSubstr(kName), HasSubstr("engine fake crashed (SIGABRT: ")));
}

TEST(Crash, SoIsBeingKilled) {
  Program program(with(kSmall, hanging("0")));
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
    Program program(with(kSmall, hanging("0")));
    ASSERT_TRUE(program.shows("opening"));
    child = program.child();
    ASSERT_GT(child, 0);
  }  // killed
  for (int i = 0; i < 600 && ::kill(child, 0) == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_NE(::kill(child, 0), 0);
}

TEST(Failure, OfTheEngineIsASentence) {
  auto ended = run(with(kSmall, {"--engine-option", "fail=oom"}));
  expect_sentence(ended, 1);
  EXPECT_THAT(ended.errors, HasSubstr("memory"));
  ended = run(with(kSmall, {"--engine-option", "fail=error", "--engine-option", "at=1"}));
  expect_sentence(ended, 1);
  ended = run(with(kSmall, {"--engine-option", "fail=unsupported"}));
  expect_sentence(ended, 1);
}

// Sanitizers take more address space than any limit.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(Failure, OfMemoryThatEndsIsASentence) {
  if (!strata::load_engine("onnxruntime")) GTEST_SKIP() << "there is no ONNX Runtime";
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
                    HasSubstr("/engines/libstrata_engine_abacus.so: not there\n")));
}

TEST(Engines, NameTheOperatorThatTheyLack) {
  for (const std::string& engine : strata::engine_names()) {
    const auto ended = run({"stat", STRATA_SOURCE_DIR "/tests/cli/models/custom_op.onnx", "--time",
                            "--engine", engine});
    expect_sentence(ended, 1);
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
  const std::string path = fmt::format("{}{}_{}", testing::TempDir(), ::getpid(), name);
  std::ofstream file(path, std::ios::binary);
  file << "\x93NUMPY" << '\x01' << '\x00' << static_cast<char>(header.size()) << '\x00' << header
       << std::string(bytes, '\0');
  return path;
}

TEST(Inputs, ThatAreWrongAreToldWhatIsExpected) {
  constexpr std::size_t kElements = 3 * 64 * 64;
  const std::string good = zeros("good.npy", "<f4", "1, 3, 64, 64", 4 * kElements);
  const auto tried = [](const std::string& inputs) {
    return run(with(kSmall, {"--runs", "2", "--inputs", inputs}));
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
    const Words words = {"stat", kName, what, "--engine", "fake", "--runs", "4", "--format"};
    const auto json = nlohmann::json::parse(run(with(words, {"json"})).output, nullptr, false);
    ASSERT_TRUE(json.is_object());
    for (const char* fact : {"cores", "load", "kernel"})
      EXPECT_TRUE(json["machine"].contains(fact)) << what << " " << fact;
    EXPECT_THAT(run(with(words, {"table"})).output, HasSubstr("\nMachine: "));
    EXPECT_THAT(run(with(words, {"md"})).output, HasSubstr("\n- Machine: "));
    EXPECT_THAT(run(with(words, {"csv"})).output, Not(HasSubstr("Machine")));
  }
  EXPECT_THAT(run({"stat", kName, "--format", "json"}).output, Not(HasSubstr("\"machine\"")));
}

}  // namespace
