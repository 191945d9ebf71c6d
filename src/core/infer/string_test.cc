// Operators on strings that are stored in the file.
#include <gtest/gtest.h>

#include "graph/text.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

// The shape of the first output of a network whose only stored tensor has these strings.
std::string output_of(std::string_view text, std::span<const std::string_view> strings) {
  auto model = model_from_text(text, 20);
  EXPECT_TRUE(model) << model.error().message;
  TensorData& data = model->stored.front();
  data.store = TensorData::Store::Encoded;
  data.texts = strings;
  const auto inferred = infer(*model);
  if (!inferred) return inferred.error().message;
  return strata::text(model->graph().tensors[model->graph().outputs[0]].type->dims);
}

// Expected: what Python's str.split gives.
TEST(StringSplit, CountsThePartsOfStoredStrings) {
  constexpr std::string_view kStrings[] = {"a.b.c", ".x", ""};
  const auto split = [&](std::string_view attributes) {
    const std::string text =
        "weight s string[3]\ny, n = StringSplit(s) " + std::string(attributes) + "\noutput y";
    return output_of(text, kStrings);
  };
  EXPECT_EQ(split("delimiter=\".\""), "3×3");
  EXPECT_EQ(split("delimiter=\".\" maxsplit=1"), "3×2");
  EXPECT_EQ(split("delimiter=\"..\""), "3×1");
  EXPECT_EQ(split(""), "3×1");
}

TEST(StringSplit, WithoutADelimiterSplitsAtWhiteSpace) {
  constexpr std::string_view kStrings[] = {"  one two\tthree ", " \n"};
  EXPECT_EQ(output_of("weight s string[2]\ny, n = StringSplit(s)\noutput y", kStrings), "2×3");
  EXPECT_EQ(output_of("weight s string[2]\ny, n = StringSplit(s) maxsplit=1\noutput y", kStrings),
            "2×2");
}

}  // namespace
}  // namespace strata
