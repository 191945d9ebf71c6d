#include "strata/base/observer.h"

#include <vector>

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Observer, AnEmptyOneHearsNothingAndStopsNothing) {
  const Observer none;
  none.show("stage", 0.5);
  none.say("a note");
  none.say_resumed("going on");
  EXPECT_FALSE(none.stopped());
  EXPECT_EQ(none.phrased(Error{"as it is"}), "as it is");
}

TEST(Observer, SharesAreBetweenNothingAndAll) {
  std::vector<double> shares;
  Observer observer;
  observer.progress = [&](std::string_view, double share) { shares.push_back(share); };
  for (const double share : {-0.1, 0.25, 1.5}) observer.show("stage", share);
  EXPECT_EQ(shares, (std::vector<double>{0, 0.25, 1}));
}

TEST(Observer, TheCallerHasTheLastWord) {
  Observer observer;
  observer.phrase = [](const Error& error) {
    return error.code == Code::NoFileFor ? "no file: " + error.fields().name : error.message;
  };
  EXPECT_EQ(observer.phrased(make_error(Code::NoFileFor, {.name = "torch"})), "no file: torch");
  EXPECT_EQ(observer.phrased(Error{"of another run"}), "of another run");
  std::atomic<bool> stop = false;
  observer.stop = &stop;
  EXPECT_FALSE(observer.stopped());
  stop = true;
  EXPECT_TRUE(observer.stopped());
}

}  // namespace
}  // namespace strata
