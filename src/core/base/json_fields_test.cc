#include "base/json_fields.h"

#include <limits>

#include <gtest/gtest.h>

namespace strata {
namespace {

using Json = JsonFields::Json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const Json kObject = {{"text", "a"},     {"flag", true},     {"whole", -3},           {"real", 0.5},
                      {"none", nullptr}, {"list", {1, 2.5}}, {"object", {{"a", "b"}}}};

TEST(JsonFields, GiveWhatIsThere) {
  JsonFields fields("file x");
  EXPECT_EQ(fields.text(kObject, "text"), "a");
  EXPECT_TRUE(fields.flag(kObject, "flag"));
  EXPECT_EQ(fields.whole(kObject, "whole"), -3);
  EXPECT_EQ(fields.real(kObject, "real"), 0.5);
  std::vector<double> numbers;
  fields.numbers(kObject, "list", numbers);
  EXPECT_EQ(numbers, (std::vector<double>{1, 2.5}));
  std::vector<std::pair<std::string, std::string>> pairs;
  fields.pairs(kObject, "object", pairs);
  EXPECT_EQ(pairs, (std::vector<std::pair<std::string, std::string>>{{"a", "b"}}));
  EXPECT_TRUE(fields.good());
}

TEST(JsonFields, WhatIsNotThereOrNullIsAbsent) {
  JsonFields fields("file x");
  for (const char* key : {"absent", "none"}) {
    EXPECT_EQ(fields.text(kObject, key), "");
    EXPECT_FALSE(fields.flag(kObject, key));
    EXPECT_EQ(fields.whole_or(kObject, key, 7), 7);
    EXPECT_EQ(fields.count(kObject, key, "it", -1), -1);
    EXPECT_EQ(fields.real_if_any(kObject, key), std::nullopt);
    EXPECT_EQ(fields.real_or(kObject, key, 2.5), 2.5);
    EXPECT_TRUE(fields.object(kObject, key).empty());
    fields.list(kObject, key, [](const Json&, const std::string&) { FAIL(); });
  }
  EXPECT_TRUE(fields.good());
}

TEST(JsonFields, TheFirstProblemIsKept) {
  const auto problem = [](auto read) {
    JsonFields fields("file x");
    read(fields);
    EXPECT_EQ(fields.text(kObject, "text"), "") << "after a problem all is empty";
    fields.wrong("a later one");
    return fields.problem();
  };
  EXPECT_EQ(problem([](JsonFields& f) { f.text(kObject, "whole"); }),
            "file x: it has a \"whole\" that is not text");
  EXPECT_EQ(problem([](JsonFields& f) { f.needed_text(kObject, "absent", "its head"); }),
            "file x: its head has no text \"absent\"");
  EXPECT_EQ(problem([](JsonFields& f) { f.whole(kObject, "real"); }),
            "file x: it has a \"real\" that is not a whole number");
  EXPECT_EQ(problem([](JsonFields& f) { f.whole(kObject, "absent", "it", true); }),
            "file x: it has no \"absent\"");
  EXPECT_EQ(problem([](JsonFields& f) { f.size(kObject, "whole"); }),
            "file x: it has a negative \"whole\"");
  EXPECT_EQ(problem([](JsonFields& f) {
              f.count({{"n", 2'000'000'000}}, "n");
            }),
            "file x: it has a \"n\" out of all proportion");
  EXPECT_EQ(
      problem([](JsonFields& f) { f.list(kObject, "text", [](const Json&, const auto&) {}); }),
      "file x: it has a \"text\" that is not a list");
  EXPECT_EQ(problem([](JsonFields& f) {
              std::vector<std::string> texts;
              f.texts(kObject, "list", texts);
            }),
            "file x: item 1 of \"list\" is not text");
  EXPECT_EQ(problem([](JsonFields& f) { f.real_or_infinity(kObject, "text"); }),
            "file x: it has a \"text\" that is not a number");
  EXPECT_EQ(problem([](JsonFields& f) { f.interval(kObject, "object"); }),
            "file x: it has a \"object\" that is not a pair of numbers");
}

TEST(JsonFields, AProblemIsABrokenFile) {
  JsonFields fields("profile", "a.json");
  const Error error = fields.failed("it is odd").value();
  EXPECT_EQ(error.message, "profile a.json: it is odd");
  EXPECT_EQ(error.code, Code::FileBroken);
  EXPECT_EQ(error.fields().file, "a.json");
  EXPECT_EQ(error.fields().name, "profile");
}

TEST(JsonFields, RealsOfDocumentsMayBeInfinite) {
  const Json json = {
      {"low", "-inf"}, {"ends", {1.5, "inf"}}, {"open", {nullptr, nullptr}}, {"three", {1, 2, 3}}};
  JsonFields fields("file x");
  EXPECT_EQ(fields.real_or_infinity(json, "low"), -kInfinity);
  EXPECT_EQ(fields.real_or_infinity(json, "absent"), std::nullopt);
  EXPECT_EQ(fields.interval(json, "ends")->low, 1.5);
  EXPECT_EQ(fields.interval(json, "ends")->high, kInfinity);
  EXPECT_EQ(fields.interval(json, "open")->low, 0);
  EXPECT_EQ(fields.interval(json, "open")->high, kInfinity);
  EXPECT_EQ(fields.interval(json, "absent"), std::nullopt);
  EXPECT_TRUE(fields.good());
  EXPECT_EQ(fields.interval(json, "three"), std::nullopt);
  EXPECT_FALSE(fields.good());
}

}  // namespace
}  // namespace strata
