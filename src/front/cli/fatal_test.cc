#include "cli/fatal.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <new>
#include <thread>

#include <gtest/gtest.h>

#include "base/mapped_file.h"
#include "strata/base/scratch_folder.h"

namespace strata::cli {
namespace {

struct Ended {
  int code = -1;  // -1: by a signal
  std::string errors;
};

// Runs in a process of its own with the handlers.
template <class F>
Ended with_handlers(F&& work) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    install_fatal_handlers();
    work();
    ::_exit(0);
  }
  ::close(ends[1]);
  Ended ended;
  char buffer[1024];
  for (ssize_t got; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    ended.errors.append(buffer, static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status)) ended.code = WEXITSTATUS(status);
  return ended;
}

TEST(Fatal, AFileThatBecomesShorterIsASentence) {
  const ScratchFolder folder = ScratchFolder::create().value();
  const std::string path = folder / "model.onnx";
  std::ofstream(path) << std::string(1 << 20, 'x');
  const Ended ended = with_handlers([&] {
    const auto file = MappedFile::open(path);
    if (::truncate(path.c_str(), 10) != 0) return;
    volatile char last = (*file)->bytes().back();
    (void)last;
  });
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(ended.errors,
            "strata: a file could not be read to its end: it became shorter while it was being "
            "read, or its disk failed\n");
}

TEST(Fatal, SoIsMemoryThatRunsOutInAThread) {
  const Ended ended = with_handlers([] { std::thread([] { throw std::bad_alloc(); }).join(); });
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(ended.errors, "strata: out of memory\n");
}

TEST(Fatal, AnythingElseIsABug) {
  const Ended ended = with_handlers([] { std::thread([] { throw 7; }).join(); });
  EXPECT_EQ(ended.code, 70);
  EXPECT_TRUE(ended.errors.starts_with("strata: a bug in strata")) << ended.errors;
}

}  // namespace
}  // namespace strata::cli
