#include "base/error_fields.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(ErrorFields, AreThoseThatSaySomething) {
  const Error error = make_error(Code::OpenInput, {.name = "x", .found = "N×3"});
  const auto fields = named_fields(error);  // refers to the error
  ASSERT_EQ(fields.size(), 2u);
  EXPECT_EQ(fields[0], std::pair(std::string_view("name"), std::string_view("x")));
  EXPECT_EQ(fields[1], std::pair(std::string_view("found"), std::string_view("N×3")));
  EXPECT_TRUE(named_fields(Error{"no code"}).empty());
}

// Quotes and line ends as RFC 8259 has them.
TEST(ErrorFields, AreJson) {
  EXPECT_EQ(error_json(make_error(Code::NoLayer, {.name = "a\"b\n"}, "no")),
            R"({"code":"no_layer","fields":{"name":"a\"b\n"},"message":"no"})");
  EXPECT_EQ(error_json(Error{"x"}), R"({"code":"general","fields":{},"message":"x"})");
}

}  // namespace
}  // namespace strata
