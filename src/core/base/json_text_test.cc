#include "base/json_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace strata {
namespace {

using testing::HasSubstr;

TEST(JsonText, KeepsTheOrderOfKeysOrSortsThem) {
  const std::string text = R"({"b":1,"a":[true,null,"x"]})";
  EXPECT_EQ(json_text(json_from_text(text), -1), text);
  EXPECT_EQ(json_text(sorted_json_from_text(text), -1), R"({"a":[true,null,"x"],"b":1})");
  EXPECT_EQ(json_text(json_from_text(R"({"b":[1]})"), 2), "{\n  \"b\": [\n    1\n  ]\n}");
}

TEST(JsonText, WhatIsNotUtf8IsReplaced) {
  EXPECT_EQ(json_text(nlohmann::ordered_json("a\xff"), -1), "\"a\xef\xbf\xbd\"");
  EXPECT_EQ(json_text(nlohmann::json("a\xff"), -1), "\"a\xef\xbf\xbd\"");
}

TEST(JsonText, WhatIsNoJsonIsDiscarded) {
  EXPECT_TRUE(json_from_text("").is_discarded());
  EXPECT_TRUE(json_from_text("{\"a\":").is_discarded());
  EXPECT_TRUE(json_from_text("{} x", 3).is_discarded());
  EXPECT_TRUE(sorted_json_from_text("nothing").is_discarded());
  const auto parsed = parse_json("{\"a\":}");
  ASSERT_FALSE(parsed);
  EXPECT_THAT(parsed.error().message, HasSubstr("line 1, column 6"));
  EXPECT_EQ(parse_json("[1]")->at(0), 1);
}

TEST(JsonText, BracketsInTextsAreNotDeep) {
  const std::string text = R"({"a":"[[[[\"{{{{","b":[1]})";
  EXPECT_EQ(json_text(json_from_text(text, 2), -1), text);
}

TEST(JsonText, WhatIsTooDeepIsLeftOut) {
  const std::string deep = R"({"a":{"b":{"c":1}},"d":2})";
  EXPECT_EQ(json_text(json_from_text(deep, 3), -1), deep);
  const auto cut = json_from_text(deep, 1);
  EXPECT_EQ(cut.at("d"), 2);
  EXPECT_THAT(json_text(cut, -1), testing::Not(HasSubstr("c")));
  const std::string endless = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_LT(json_text(json_from_text(endless, 8), -1).size(), 100u);
}

// nlohmann's own tree is the oracle: of members with one key, the last counts.
TEST(JsonText, TheTreeIsThatOfTheLibrary) {
  std::string many = R"({"x":1)";
  for (int i = 0; i < 100; ++i)
    many += ",\"k" + std::to_string(i % 70) + "\":[" + std::to_string(i) + "]";
  many += "}";
  for (const std::string& text :
       {many, std::string(R"({"a":1,"b":[1,-2,1.5,{"c":null}],"a":"x"})"), std::string("3"),
        std::string("[18446744073709551616,true,{}]"), std::string("[[[[1]]],2]")})
    for (const int deepest : {0, 1, 2, 3, 9}) {
      const auto keep = [&](int depth, nlohmann::ordered_json::parse_event_t,
                            nlohmann::ordered_json&) { return depth <= deepest; };
      EXPECT_EQ(json_from_text(text, deepest), nlohmann::ordered_json::parse(text, keep)) << text;
    }
}

// Each took the square of its length: with 400,000 members or items, more than a minute.
TEST(JsonText, LongObjectsAndDeepListsTakeTimeInProportion) {
  std::string members = "{", items = "[[[[[]]]]";
  for (int i = 0; i < 400'000; ++i) {
    members += "\"key" + std::to_string(i) + "\":0,";
    items += ",{}";
  }
  members.back() = '}';
  EXPECT_EQ(json_from_text(members).size(), 400'000u);
  EXPECT_EQ(parse_json(members)->size(), 400'000u);
  EXPECT_EQ(json_from_text(items + "]", 2).size(), 400'001u);
  EXPECT_EQ(bytes_of_json(members + "x"), members.size());
}

TEST(JsonText, SaysHowFarItIsJson) {
  EXPECT_EQ(bytes_of_json("[1, 2]"), 6u);
  EXPECT_EQ(bytes_of_json("[1, 2"), 5u);
  EXPECT_EQ(bytes_of_json("[1, }]"), 4u);
  EXPECT_EQ(bytes_of_json(""), 0u);
}

}  // namespace
}  // namespace strata
