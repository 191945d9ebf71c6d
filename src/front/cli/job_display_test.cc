#include "cli/job_display.h"

#include <gtest/gtest.h>

#include <csignal>

namespace strata::cli {
namespace {

TEST(JobDisplay, TheWishToStopIsTheInterrupt) {
  JobDisplay display;
  const Observer observer = display.observer();
  EXPECT_FALSE(observer.stopped());
  std::raise(SIGINT);
  EXPECT_TRUE(observer.stopped());
  EXPECT_TRUE(display.stopped());
}

TEST(JobDisplay, AShortJobHasNoObserver) {
  JobDisplay display(false);
  const Observer observer = display.observer();
  EXPECT_FALSE(observer.progress);
  EXPECT_EQ(observer.stop, nullptr);
}

}  // namespace
}  // namespace strata::cli
