#include "read/standard_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <string>

namespace strata {
namespace {

// A pipe with a text in it, which fits what the system keeps for a pipe.
int pipe_with(const std::string& text) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ::close(ends[1]);
  return ends[0];
}

TEST(StandardInput, IsCopiedWhole) {
  const std::string text(40'000, 'x');
  const int pipe = pipe_with(text);
  const auto file = copy_to_memory(pipe, text.size());
  ::close(pipe);
  ASSERT_TRUE(file) << file.error().message;
  std::string read(text.size() + 1, ' ');
  EXPECT_EQ(::pread(*file, read.data(), read.size(), 0), static_cast<ssize_t>(text.size()));
  EXPECT_EQ(read, text + " ");
  ::close(*file);
}

TEST(StandardInput, HasALimit) {
  const int pipe = pipe_with("12345");
  const auto file = copy_to_memory(pipe, 4);
  ::close(pipe);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().message,
            "standard input has more than 4 bytes; save it to a file, and name that");
}

}  // namespace
}  // namespace strata
