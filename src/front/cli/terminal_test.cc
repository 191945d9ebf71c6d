#include "cli/terminal.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace strata {
namespace {

// Sets a variable of the environment while it lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

TEST(Terminal, AFileIsNone) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(terminal_columns(::fileno(file)), 0u);
  EXPECT_FALSE(is_rich_terminal(::fileno(file)));
  std::fclose(file);
}

TEST(Terminal, UsersSayHowWideAndWhetherInColours) {
  EXPECT_EQ((Variable("COLUMNS", "72"), wanted_columns()), 72u);
  EXPECT_EQ((Variable("COLUMNS", "-3"), wanted_columns()), 0u);
  EXPECT_EQ((Variable("COLUMNS", "wide"), wanted_columns()), 0u);
  EXPECT_TRUE((Variable("NO_COLOR", "1"), wants_no_color()));
  EXPECT_FALSE((Variable("NO_COLOR", ""), wants_no_color()));
}

}  // namespace
}  // namespace strata
