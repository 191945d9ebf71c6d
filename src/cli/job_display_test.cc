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

}  // namespace
}  // namespace strata::cli
