#include "strata/base/observer.h"

#include <string>
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

TEST(Observer, PiecesAreCountedJustBeforeTheirShare) {
  std::vector<std::string> heard;
  Observer observer;
  observer.counted = [&](std::int64_t done, std::int64_t all) {
    heard.push_back(std::to_string(done) + "/" + std::to_string(all));
  };
  observer.progress = [&](std::string_view stage, double share) {
    heard.push_back(std::string(stage) + (share == 0.25 ? " 1/4" : share == 1 ? " all" : " ?"));
  };
  observer.show("calibrating", 2, 8);
  observer.show("nothing", 0, 0);
  EXPECT_EQ(heard, (std::vector<std::string>{"2/8", "calibrating 1/4", "0/0", "nothing all"}));
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
