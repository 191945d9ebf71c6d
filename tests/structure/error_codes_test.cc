// Callers of the library find every code in the documentation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "strata/base/error.h"

namespace strata {
namespace {

TEST(ErrorCodes, AreInTheDocumentation) {
  std::ifstream file(std::string(STRATA_SOURCE_DIR) + "/docs/errors.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (std::size_t i = 0; i < kCodes; ++i)
    EXPECT_THAT(page, testing::HasSubstr("`" + std::string(code_name(static_cast<Code>(i))) + "`"));
}

}  // namespace
}  // namespace strata
