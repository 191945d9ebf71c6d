#include "read/torch/json.h"

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata::torch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class JsonTest : public testing::Test {
 protected:
  JsonText json(std::string_view text) { return {keeper_, text, "text"}; }
  // Returns the sentence that reading fails with; empty if it succeeds.
  template <class Read>
  std::string problem(std::string_view text, const Read& read) {
    try {
      JsonText input = json(text);
      read(input);
    } catch (const Broken& broken) {
      return broken.message;
    }
    return "";
  }
  Model keeper_;
};

TEST_F(JsonTest, ValuesOfEveryKind) {
  JsonText text = json(R"( {"a": [1, -2 ,9223372036854775807], "b": {"c": null}, "d": true,
                            "e": 1e-05, "f": "x"} )");
  std::vector<std::string> keys;
  std::vector<std::int64_t> numbers;
  for (JsonObject object(text); object.next();) {
    keys.emplace_back(object.key());
    if (object.key() == "a")
      for (JsonArray array(text); array.next();) numbers.push_back(text.integer());
    else if (object.key() == "b")
      for (JsonObject inner(text); inner.next();) EXPECT_TRUE(text.take_null());
    else if (object.key() == "d")
      EXPECT_TRUE(text.boolean());
    else if (object.key() == "e")
      EXPECT_EQ(text.number(), 1e-05);
    else
      EXPECT_EQ(text.string(), "x");
  }
  text.expect_end();
  EXPECT_THAT(keys, ElementsAre("a", "b", "d", "e", "f"));
  EXPECT_THAT(numbers, ElementsAre(1, -2, 9223372036854775807));
}

TEST_F(JsonTest, EscapesAreDecoded) {
  EXPECT_EQ(json(R"("a\"b\\\/\n\t")").string(), "a\"b\\/\n\t");
  EXPECT_EQ(json(R"("\u00e4\u20ac\ud83d\ude00")").string(), "ä€😀");
  EXPECT_EQ(json(R"("\ud83d-")").string(), "\xef\xbf\xbd-");  // half of a pair
  EXPECT_THAT(problem(R"("\u12")", [](JsonText& t) { t.string(); }), HasSubstr("cut off"));
  EXPECT_THAT(problem(R"("\x")", [](JsonText& t) { t.string(); }), HasSubstr("wrong escape"));
}

TEST_F(JsonTest, SkipsWithoutLookingInside) {
  JsonText text = json(R"([{"a": "]}\"[{", "b": [[], {}]}, "\\", 12.5e3, false, 7])");
  std::vector<std::string> skipped;
  for (JsonArray array(text); array.next();) skipped.emplace_back(text.skip());
  EXPECT_THAT(skipped,
              ElementsAre(R"({"a": "]}\"[{", "b": [[], {}]})", R"("\\")", "12.5e3", "false", "7"));
}

TEST_F(JsonTest, NumbersThatJsonDoesNotHave) {
  EXPECT_EQ(json(R"("Infinity")").number(), INFINITY);
  EXPECT_EQ(json("-Infinity").number(), -INFINITY);
  EXPECT_TRUE(std::isnan(json(R"("NaN")").number()));
  EXPECT_EQ(json("1e999").number(), INFINITY);
  EXPECT_THAT(problem("1.5", [](JsonText& t) { t.integer(); }), HasSubstr("no whole number"));
  EXPECT_THAT(problem("9223372036854775808", [](JsonText& t) { t.integer(); }),
              HasSubstr("no whole number"));
  EXPECT_THAT(problem("1x", [](JsonText& t) { t.number(); }), HasSubstr("no number"));
}

TEST_F(JsonTest, WhatIsWrongIsSaidWithItsPlace) {
  const auto skip = [](JsonText& t) { t.skip(); };
  EXPECT_EQ(problem(R"({"a": [1, 2)", skip), "text: the JSON text ends too early at byte 11");
  EXPECT_EQ(problem(R"("abc\")", skip), "text: a string is not closed at byte 0");
  EXPECT_EQ(problem("", skip), "text: the JSON text ends too early at byte 0");
  EXPECT_EQ(problem("[1 2]",
                    [](JsonText& t) {
                      for (JsonArray array(t); array.next();) t.skip();
                    }),
            "text: there is no ',' at byte 3");
  EXPECT_EQ(problem("nul", [](JsonText& t) { t.take_null(); }),
            "text: there is no JSON value at byte 0");
}

// The depth of what is skipped is only a number.
TEST_F(JsonTest, DepthCostsNothing) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  EXPECT_EQ(json(deep).skip().size(), deep.size());
}

}  // namespace
}  // namespace strata::torch
