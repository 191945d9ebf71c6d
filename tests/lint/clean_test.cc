// Strata's own output raises no finding: a timed profile as it was saved (one of MobileNetV2
// on ONNX Runtime, with a coefficient of variation of 1.8 %), and every network of the zoo.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "strata/profile/profile.h"
#include "strata/task/lint.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

std::string text_of(const std::vector<lint::Finding>& findings) {
  std::string text;
  for (const lint::Finding& finding : findings)
    text += finding.check + " (" + finding.row + "): " + finding.evidence + "\n";
  return text;
}

TEST(CleanProfiles, ATimedOneOfOurOwn) {
  const auto outcome =
      run_lint({.file = STRATA_SOURCE_DIR "/tests/lint/files/strata_mobilenet_v2_timed.json"});
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_EQ(outcome->claims.tables.size(), 2u);
  EXPECT_GT(outcome->claims.tables[0].rows.size(), 100u);
  EXPECT_EQ(outcome->claims.tables[1].rows.at(0).samples.size(), 29u);
  EXPECT_EQ(text_of(outcome->findings), "");
}

class ZooProfile : public testing::TestWithParam<ReportKind> {};

TEST_P(ZooProfile, RaisesNothing) {
  for (const zoo::Entry& entry : zoo::entries()) {
    const std::string name(entry.name);
    const auto loaded = load_model({.source = "zoo:" + name});
    ASSERT_TRUE(loaded) << loaded.error().message;
    ProfileOptions options;
    options.rows.report = GetParam();
    options.all_columns = true;
    const auto profile = make_profile(loaded->model, loaded->inference, options);
    ASSERT_TRUE(profile) << profile.error().message;
    const auto claims = lint::claims_from_text(profile_to_json(*profile), name);
    ASSERT_TRUE(claims) << claims.error().message;
    EXPECT_EQ(text_of(lint::check(*claims)), "") << name;
  }
}
INSTANTIATE_TEST_SUITE_P(Reports, ZooProfile,
                         testing::Values(ReportKind::Tape, ReportKind::Tree, ReportKind::Node));

// The pages of this project state the same networks in many tables.
TEST(CleanPages, OurOwnTablesAgree) {
  std::vector<std::filesystem::path> pages = {STRATA_SOURCE_DIR "/README.md"};
  for (const auto& entry : std::filesystem::directory_iterator(STRATA_SOURCE_DIR "/docs"))
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  ASSERT_GT(pages.size(), 10u);
  std::size_t read = 0;
  for (const auto& page : pages) {
    std::ifstream in(page);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    const auto claims = lint::claims_from_text(text, page.filename());
    if (!claims) continue;  // it has no table that states costs or times
    ++read;
    for (const lint::Finding& finding : lint::check(*claims))
      EXPECT_NE(finding.check, "tables") << page << ": " << finding.evidence;
  }
  EXPECT_GT(read, 3u);
}

}  // namespace
}  // namespace strata
