// A command opens the file of a model once, however many questions it has about it. The kernel
// counts: inotify reports every time that a watched file is opened, by whichever process.
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "../run_shell.h"
#include "strata/base/scratch_folder.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

// Counts while it lives. Equal events in a row are reported as one, so closing is watched, too: it
// stands between two openings.
class OpenCount {
 public:
  explicit OpenCount(const std::string& file) : queue_(::inotify_init1(IN_NONBLOCK)) {
    EXPECT_GE(::inotify_add_watch(queue_, file.c_str(), IN_OPEN | IN_CLOSE), 0);
  }
  ~OpenCount() { ::close(queue_); }
  OpenCount(const OpenCount&) = delete;
  OpenCount& operator=(const OpenCount&) = delete;

  int opened() {
    alignas(inotify_event) std::array<char, 4096> events;
    while (true) {
      const ssize_t bytes = ::read(queue_, events.data(), events.size());
      if (bytes <= 0) return opened_;
      for (ssize_t at = 0; at < bytes;) {
        inotify_event event;
        std::memcpy(&event, events.data() + at, sizeof event);
        if ((event.mask & IN_OPEN) != 0) ++opened_;
        at += static_cast<ssize_t>(sizeof event + event.len);
      }
    }
  }

 private:
  int queue_;
  int opened_ = 0;
};

class Opens : public testing::Test {
 protected:
  ScratchFolder folder_ = ScratchFolder::create().value();

  // The openings of a copy of `model` by a command; MODEL stands for the copy.
  int opens_of(const std::string& model, std::string command, int code = 0) {
    const std::string copy = folder_ / fs::path(model).filename().string();
    fs::copy_file(STRATA_SOURCE_DIR "/tests/models/" + model, copy,
                  fs::copy_options::overwrite_existing);
    for (std::size_t at = 0; (at = command.find("MODEL", at)) != command.npos;)
      command.replace(at, 5, copy);
    OpenCount count(copy);
    const Ran ran = run_shell("cd " + folder_.path() + " && " STRATA_BINARY " " + command);
    EXPECT_EQ(ran.code, code) << command << "\n" << ran.text;
    return count.opened();
  }
};

TEST_F(Opens, TheCountCountsEachOpening) {
  const std::string file = folder_ / "file";
  OpenCount count((fs::copy_file(STRATA_SOURCE_DIR "/README.md", file), file));
  EXPECT_EQ(count.opened(), 0);
  ASSERT_EQ(run_shell("cat " + file + " " + file + " > /dev/null").code, 0);
  EXPECT_EQ(count.opened(), 2);
}

TEST_F(Opens, AreOneInEveryCommandThatCounts) {
  const std::string onnx = "digits/digits.onnx";
  for (const char* command : {
           "stat MODEL",
           "stat MODEL --batch 4",
           "stat MODEL zoo:squeezenet1_1",
           "explain MODEL 0",
           "payload MODEL",
           "check MODEL --budget params=1G",
           "diff MODEL zoo:squeezenet1_1",
       }) {
    const bool explains = std::string_view(command).starts_with("explain");
    EXPECT_EQ(opens_of(onnx, command, explains ? 2 : 0), 1) << command;
  }
  EXPECT_EQ(opens_of(onnx, "--version; cat MODEL | " STRATA_BINARY " stat -"), 1);
}

TEST_F(Opens, AreOneForEveryFormat) {
  for (const char* file : {"mobilenet_v2.onnx", "weights/plain.safetensors", "weights/q4_k_m.gguf",
                           "weights/state_dict.pth"})
    EXPECT_EQ(opens_of(file, "stat MODEL"), 1) << file;
  EXPECT_EQ(opens_of("weights/q4_k_m.gguf", "diff MODEL MODEL"), 1);
}

// The engine runs in a process of its own, which also opens the file once.
TEST_F(Opens, AreTwoWhenAnEngineRunsIt) {
  EXPECT_LE(opens_of("digits/digits.onnx",
                     "stat MODEL --time --engine fake --dim N=1 --runs 1 --warmup 0"),
            3);
}

}  // namespace
}  // namespace strata
