#include "base/system_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace strata {
namespace {

using ::testing::HasSubstr;

SystemLibrary mathematics("libm.so.6");
LibraryFunction<double(double)> cube_root(mathematics, "cbrt");
LibraryFunction<double(double)> no_such_function(mathematics, "strata_has_no_such_function");

TEST(SystemLibrary, CallsWhatItOpened) {
  ASSERT_TRUE(mathematics.open());
  ASSERT_TRUE(mathematics.open());
  EXPECT_DOUBLE_EQ(cube_root(27), 3);
  EXPECT_DOUBLE_EQ(cube_root(8), 2);
}

TEST(SystemLibrary, SaysWhatCannotBeOpened) {
  SystemLibrary absent("libstrata_absent.so.7");
  const Status opened = absent.open();
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("the library libstrata_absent.so.7 is needed"));
  EXPECT_THAT(opened.error().message, HasSubstr("No such file"));
}

TEST(SystemLibrary, AFunctionThatIsMissingIsNotCalled) {
  ASSERT_TRUE(mathematics.open());
  EXPECT_THROW(no_such_function(1), std::runtime_error);
}

TEST(SystemLibrary, NothingIsCalledBeforeItIsOpened) {
  SystemLibrary closed("libm.so.6");
  LibraryFunction<double(double)> function(closed, "cbrt");
  EXPECT_THROW(function(27), std::runtime_error);
}

}  // namespace
}  // namespace strata
