#include "profile/caveats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/document/document.h"

namespace strata {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

Profile doubtful() {
  Profile profile;
  profile.notes = {"weights.bin is missing"};
  profile.unknown_ops = {"acme.Frobnicate (no rule)"};
  profile.timing.emplace();
  profile.timing->engine = "fake";
  profile.timing->threads = 1;
  profile.timing->disturbed = true;
  profile.timing->wall_seconds = 2;
  profile.timing->wait_seconds = 0.5;
  return profile;
}

std::vector<std::string> notes_of(const Profile& profile) {
  std::vector<std::string> texts;
  for (const Note& note : profile_document(profile).notes) texts.push_back(note.text);
  return texts;
}

TEST(Caveats, ADocumentsNotesHaveEverythingAReaderShouldKnow) {
  EXPECT_THAT(
      notes_of(doubtful()),
      ElementsAre("weights.bin is missing",
                  AllOf(StartsWith("Disturbed: "), HasSubstr("waited 500"), HasSubstr("2.000 s")),
                  "Not counted, so totals are lower bounds: acme.Frobnicate (no rule)"));
  EXPECT_TRUE(notes_of(Profile()).empty());
}

TEST(Caveats, EachKindOfTrouble) {
  TimingFacts timing;
  EXPECT_TRUE(timing_caveats(timing).empty());
  timing.noisy = true;
  EXPECT_THAT(timing_caveats(timing), ElementsAre(StartsWith("Noisy: ")));
  timing.partial = true;
  timing.slowed = 0.2;
  timing.withheld = "too few runs";
  timing.unassigned = {"conv", "relu"};
  EXPECT_THAT(timing_caveats(timing),
              ElementsAre(StartsWith("Partial: "), "No interval and no claim: too few runs",
                          AllOf(StartsWith("Shared: "), HasSubstr("20 % slower")),
                          StartsWith("Noisy: "), "Not found in any kernel: 2 nodes, such as conv"));
}

// They follow from the facts, so that a profile that is read back has them once.
TEST(Caveats, AreNotReadTwice) {
  const Profile profile = doubtful();
  const auto read = profile_from_json(profile_to_json(profile), "saved.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->notes, profile.notes);
  EXPECT_EQ(notes_of(*read), notes_of(profile));
}

}  // namespace
}  // namespace strata
