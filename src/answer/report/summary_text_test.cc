#include "report/summary_text.h"

#include <gmock/gmock.h>

namespace strata {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string text_of_slowest(const RoofPlace& place) {
  Profile profile;
  profile.timing.emplace().median = 1e-3;
  profile.summary = Profile::Summary{};
  profile.summary->slowest = {{.layer = "conv1", .seconds = 1e-4, .place = place}};
  return summary_text(profile, false);
}

TEST(SummaryText, SaysWhyALayerIsSlow) {
  EXPECT_THAT(text_of_slowest({.bound = "compute", .percent = 71}),
              HasSubstr("conv1  100.0 µs (10.0 %), compute bound at 71 % of the roof\n"));
  EXPECT_THAT(text_of_slowest({.bound = "compute", .percent = 12}),
              HasSubstr(", compute bound in a slow kernel: 12 % of the roof\n"));
  EXPECT_THAT(text_of_slowest({.bound = "memory", .percent = 80}),
              HasSubstr(", bandwidth bound at 80 % of the roof\n"));
  EXPECT_THAT(text_of_slowest({.bound = "neither", .percent = 2.6}),
              HasSubstr(", mostly overhead: it reaches 2.6 % of the roof\n"));
}

TEST(SummaryText, StatesAFactorOfCachesOnlyWhereItSaysSomething) {
  EXPECT_THAT(text_of_slowest({.bound = "caches", .percent = 104}),
              HasSubstr(", bandwidth bound: data from caches\n"));
  EXPECT_THAT(text_of_slowest({.bound = "caches", .percent = 310}),
              HasSubstr(", bandwidth bound: data from caches, 3.1 times as fast as from memory\n"));
}

TEST(SummaryText, GivesNoReasonThatIsNotKnown) {
  EXPECT_THAT(text_of_slowest({}), HasSubstr("conv1  100.0 µs (10.0 %)\n"));
  EXPECT_THAT(text_of_slowest({}), Not(HasSubstr("bound")));
}

}  // namespace
}  // namespace strata
