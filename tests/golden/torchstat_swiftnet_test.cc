// torchstat's table of SwiftNet-RN18, from the zoo: every cell but the time.
#include <gtest/gtest.h>

#include "published.h"
#include "strata/profile/profile.h"
#include "strata/report/report.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

Profile torchstat_profile() {
  const auto network = zoo::build("swiftnet_rn18");
  EXPECT_TRUE(network) << network.error().message;
  ProfileOptions options;
  options.layout = "torchstat";
  auto profile = make_profile(network->model, network->inference, options);
  EXPECT_TRUE(profile) << profile.error().message;
  return *std::move(profile);
}

// A cell as the table prints it: megabytes with two decimals, everything else exactly.
std::string printed(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell.value)) return *text;
  if (const auto* number = std::get_if<Expr>(&cell.value)) return number->text();
  if (const auto* real = std::get_if<double>(&cell.value)) return fmt::format("{:.2f}", *real);
  return "unknown";
}

TEST(TorchstatTable, EveryRowOfSwiftNet) {
  // Our column for each column of the table except its last one, the duration.
  constexpr std::string_view kColumns[] = {
      "index",      "module name", "input shape", "output shape", "params",
      "memory(MB)", "MAdd",        "Flops",       "MemRead(B)",   "MemWrite(B)"};
  const Profile profile = torchstat_profile();
  const auto published = without_header("torchstat_swiftnet_rn18.csv");
  ASSERT_EQ(published.size(), 54u);
  ASSERT_EQ(profile.rows.size(), published.size());
  for (std::size_t r = 0; r < published.size(); ++r) {
    ASSERT_EQ(published[r].size(), std::size(kColumns) + 1);
    for (std::size_t c = 0; c < std::size(kColumns); ++c) {
      ASSERT_EQ(profile.columns[c].name, kColumns[c]);
      EXPECT_EQ(printed(profile.rows[r].cells[c]), published[r][c])
          << published[r][1] << ", " << kColumns[c];
    }
  }
}

// The published row of totals repeats the last layer's bytes read and written; these are the real
// sums.
TEST(TorchstatTable, TotalsOfSwiftNet) {
  const Profile profile = torchstat_profile();
  const auto total = [&](std::string_view column) -> std::string {
    for (std::size_t c = 0; c < profile.columns.size(); ++c)
      if (profile.columns[c].name == column) return printed(profile.totals.cells[c]);
    return "no such column";
  };
  EXPECT_EQ(total("params"), "11789377");
  EXPECT_EQ(total("memory(MB)"), "528.80");
  EXPECT_EQ(total("MAdd"), "105031789056");
  EXPECT_EQ(total("Flops"), "52618466248");
  EXPECT_EQ(total("MemRead(B)"), "651206916");
  EXPECT_EQ(total("MemWrite(B)"), "554483488");
  EXPECT_EQ(total("MemR+W(B)"), "1205690404");
}

// The lines below the published table are in the text that torchstat printed.
TEST(TorchstatTable, LinesOfTotalsOfSwiftNet) {
  std::ifstream file(STRATA_SOURCE_DIR "/tests/lint/published/torchstat_swiftnet_rn18.txt");
  const std::string ours = to_table(torchstat_profile(), {});
  int found = 0;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("Total ")) continue;
    ++found;
    EXPECT_NE(ours.find(line + "\n"), ours.npos) << line;
  }
  EXPECT_EQ(found, 5);
}

}  // namespace
}  // namespace strata
