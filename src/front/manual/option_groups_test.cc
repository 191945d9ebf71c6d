#include "manual/option_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata::manual {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

TEST(OptionGroups, AreFoundByTheNameOfTheOption) {
  EXPECT_EQ(group_of("--dim"), "Model");
  EXPECT_EQ(group_of("--output"), "Output");
  EXPECT_EQ(group_of("--ship-as"), "Options");
}

TEST(OptionGroups, HaveAnOrder) {
  std::vector<OptionFacts> options = {{.name = "--format", .group = "Output"},
                                      {.name = "--own", .group = "Options"},
                                      {.name = "--dim", .group = "Model"},
                                      {.name = "--other", .group = "Options"},
                                      {.name = "model", .group = "Arguments", .positional = true}};
  sort_by_group(options);
  std::vector<std::string> names;
  names.reserve(options.size());
  for (const OptionFacts& option : options) names.push_back(option.name);
  EXPECT_THAT(names, ::testing::ElementsAre("model", "--own", "--other", "--dim", "--format"));
}

TEST(OptionGroups, KnowTheWordsOfSomeOptions) {
  EXPECT_THAT(words_of("strata stat", "model"), Contains("zoo:resnet50"));
  EXPECT_THAT(words_of("strata zoo export", "name"), Contains("resnet50"));
  EXPECT_THAT(words_of("strata ops", "name"), Contains("Conv"));
  EXPECT_THAT(words_of("strata explain", "--count"), Contains("fvcore"));
  EXPECT_THAT(words_of("strata stat", "--columns"), Contains("macs"));
  EXPECT_THAT(words_of("strata bench", "--columns"), IsEmpty());
  EXPECT_THAT(words_of("strata bench", "--precision"), Contains("int8"));
}

}  // namespace
}  // namespace strata::manual
