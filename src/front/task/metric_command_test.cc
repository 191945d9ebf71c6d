#include "task/metric_command.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::HasSubstr;

HostTensor scores(float first) {
  const float values[] = {first, 2};
  HostTensor tensor{"scores", DType::F32, {1, 2}, std::vector<std::byte>(sizeof values)};
  std::memcpy(tensor.data.data(), values, sizeof values);
  return tensor;
}

Result<double> judged(const std::string& command) {
  auto judge = judge_by_command(command);
  EXPECT_TRUE(judge) << judge.error().message;
  const HostTensor one = scores(1), two = scores(3);
  return (*judge)(std::span(&one, 1), std::span(&two, 1));
}

TEST(MetricCommand, TheNumberItPrintsLast) {
  EXPECT_EQ(judged("echo loading; echo ' 12.5 ' #"), 12.5);
}

TEST(MetricCommand, GetsTwoFilesThatDiffer) {
  EXPECT_EQ(judged("cmp -s \"$1\" \"$2\" && echo 1 || echo 0"), 0);
  EXPECT_EQ(judged("cmp -s \"$1\" \"$1\" && echo 1 || echo 0"), 1);
  // Without a $, the paths are appended.
  EXPECT_EQ(judged("f() { echo $#; }; f"), 0);
  EXPECT_EQ(judged("printf '%.0s1'"), 11);
}

TEST(MetricCommand, WhatIsNoNumberIsASentence) {
  const auto nothing = judged("true #"), word = judged("echo good #"), nan = judged("echo nan #");
  ASSERT_FALSE(nothing);
  EXPECT_THAT(nothing.error().message, HasSubstr("printed nothing"));
  ASSERT_FALSE(word);
  EXPECT_THAT(word.error().message, HasSubstr("printed \"good\""));
  ASSERT_FALSE(nan);
}

TEST(MetricCommand, EveryFailureOfTheCommandHasItsCode) {
  const HostTensor one = scores(1);
  for (const char* command : {"true #", "echo good #", "exit 3 #"}) {
    const auto judge = judge_by_command(command);
    ASSERT_TRUE(judge) << judge.error().message;
    const auto number = (*judge)(std::span(&one, 1), std::span(&one, 1));
    ASSERT_FALSE(number);
    EXPECT_EQ(number.error().code, Code::MetricCommand);
    EXPECT_THAT(number.error().message, testing::StartsWith("the command "));
  }
}

TEST(MetricCommand, AFailureSaysWhatTheCommandSaid) {
  const auto failed = judged("echo 5; echo 'no such label' >&2; exit 3 #");
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("exit code 3: \"no such label\""));
  EXPECT_FALSE(judged("/nowhere/score"));
}

}  // namespace
}  // namespace strata
