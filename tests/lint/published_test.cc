// Tables as they were published (tests/lint/published/): every flaw that is known of them is found.
// The numbers are worked out from the tables with numpy, or by hand in the comments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "strata/lint/lint.h"
#include "strata/task/lint.h"

namespace strata {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

LintOutcome lint_of(const std::string& file, LintRequest request = {}) {
  request.file = std::string(STRATA_SOURCE_DIR "/tests/lint/published/") + file;
  auto outcome = run_lint(request);
  EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().message);
  return outcome ? std::move(*outcome) : LintOutcome{};
}

std::vector<lint::Finding> of_check(const LintOutcome& outcome, std::string_view check) {
  std::vector<lint::Finding> out;
  for (const lint::Finding& finding : outcome.findings)
    if (finding.check == check) out.push_back(finding);
  return out;
}

std::map<std::string, std::size_t> counts_of(const LintOutcome& outcome) {
  std::map<std::string, std::size_t> counts;
  for (const lint::Finding& finding : outcome.findings) ++counts[finding.check];
  return counts;
}

using Counts = std::map<std::string, std::size_t>;

class Torchblade : public testing::Test {
 protected:
  // The page says in its text that each number is of 200 runs.
  const LintOutcome outcome_ = lint_of("torchblade_benchmark.html", {.samples = 200});
};

TEST_F(Torchblade, HasFiveFlaws) {
  EXPECT_EQ(outcome_.claims.tables.at(0).rows.size(), 26u);
  EXPECT_EQ(counts_of(outcome_), (Counts{{"few_samples", 1},
                                         {"mean_of_rates", 1},
                                         {"noisy", 1},
                                         {"tail_speed_up", 1},
                                         {"time_unit", 1}}));
}

// 19.6151 · 0.0509812 s = 1.0000; as milliseconds it would be a thousandth of a frame.
TEST_F(Torchblade, ColumnsInMillisecondsHoldSeconds) {
  const lint::Finding finding = of_check(outcome_, "time_unit").at(0);
  EXPECT_EQ(finding.rows.size(), 26u);
  EXPECT_THAT(finding.evidence, HasSubstr("19.6151 frames a second and 50.98 µs"));
  EXPECT_THAT(finding.evidence, HasSubstr("would be 0.001 frames at a time"));
  EXPECT_EQ(finding.meaning, "the columns in ms hold seconds");
}

// 52.4638 · 0.0205101 = 1.0760 for the worst; 22 rows are more than 0.2 % above their batch.
TEST_F(Torchblade, MeanRateIsAMeanOfRates) {
  const lint::Finding finding = of_check(outcome_, "mean_of_rates").at(0);
  EXPECT_EQ(finding.row, "MaskRCNNFPN / TorchBlade / fp16 / traced");
  EXPECT_THAT(finding.evidence, HasSubstr("52.4638, 7.6 % above 48.7565"));  // 1 / 0.0205101
  EXPECT_EQ(finding.rows.size(), 22u);
}

TEST_F(Torchblade, TwoHundredRunsCarryNoP99) {
  EXPECT_EQ(of_check(outcome_, "few_samples").at(0).evidence,
            "\"99th_p\" is a p99 of 200 samples; it needs 662");
}

// 0.00936073 / 0.0205101 = 45.6 % for the worst; 0.00461236 / 0.437487 = 1.1 % for the only one
// that is not above 2.5 %.
TEST_F(Torchblade, AllRowsButOneAreNoisy) {
  const lint::Finding finding = of_check(outcome_, "noisy").at(0);
  EXPECT_EQ(finding.evidence,
            "the standard deviation is 45.6 % of the mean, and above 2.5 % in 25 of 26 rows");
  EXPECT_THAT(finding.rows, testing::Not(testing::Contains("MaskRCNNC4 / Torch / fp32 / traced")));
}

// 0.184261 / 0.0676383 = 2.724 and 0.217443 / 0.123343 = 1.763
TEST_F(Torchblade, TheHeadlineIsLessAtTheTail) {
  const lint::Finding finding = of_check(outcome_, "tail_speed_up").at(0);
  EXPECT_EQ(finding.row, "MaskRCNNC4 / TorchBlade / fp16 / traced");
  EXPECT_THAT(finding.evidence, HasSubstr("over MaskRCNNC4 / Torch / fp16 / traced, is 2.72 by"));
  EXPECT_THAT(finding.evidence, HasSubstr("and 1.76 by \"99th_p\""));
}

TEST(Torchstat, TotalsAreTheLastRowAndNamesAreSwapped) {
  const LintOutcome outcome = lint_of("torchstat_swiftnet_rn18.txt");
  EXPECT_EQ(outcome.claims.tables.at(0).rows.size(), 54u);
  EXPECT_EQ(counts_of(outcome), (Counts{{"macs_and_flops", 1}, {"total", 2}}));
  // The sums are those of numpy; the values are those of row 53, post.conv.
  const auto totals = of_check(outcome, "total");
  EXPECT_EQ(totals.at(0).evidence,
            "\"MemRead(B)\" is 33,555,980, and the sum of the 54 rows 651,206,916");
  EXPECT_EQ(totals.at(1).evidence,
            "\"MemWrite(B)\" is 786,432, and the sum of the 54 rows 554,483,488");
  for (const lint::Finding& total : totals)
    EXPECT_EQ(total.meaning, "it is the value of the last row, post.conv, in place of the sum");
  // The 3×3 convolution 128→128 with a bias on 256×256: 65536·128·(1152 + 1) = 9,672,065,024
  // multiply-adds, and 65536·128·(2·1152 - 1 + 1) = 19,327,352,832 operations.
  const lint::Finding names = of_check(outcome, "macs_and_flops").at(0);
  EXPECT_EQ(names.row, "decoder.up3.blend_conv.conv");
  EXPECT_EQ(names.rows.size(), 33u);
  EXPECT_EQ(names.evidence,
            "\"MAdd\" is 19,327,352,832 and \"Flops\" 9,672,065,024, 2.00 times less");
  EXPECT_EQ(names.meaning, "the two names are swapped: a multiply-add is two operations");
}

TEST(Rasp, ItsTablesAddUp) {
  EXPECT_THAT(lint_of("rasp_mobilenet_v2.md").findings, IsEmpty());
  const LintOutcome models = lint_of("rasp_torchvision_models.md");
  EXPECT_EQ(models.claims.tables.at(0).rows.size(), 34u);
  EXPECT_THAT(models.findings, IsEmpty());
}

class FasterRcnn : public testing::Test {
 protected:
  static const LintOutcome& with_model() {
    static const LintOutcome kOutcome = lint_of(
        "fasterrcnn_profile.txt", {.model = ModelRequest{.source = "zoo:fasterrcnn_resnet50_fpn"},
                                   .peak_flops_per_s = 40e12});  // above every device of its time
    return kOutcome;
  }
};

// 1×1 2048→256 on 25×25: 2·2048·256·625 = 0.655 G and a bias of 160,000; 3×3 256→256 on 200×200:
// 2·9·256·256·40000 = 47.19 G and a bias of 10,240,000, together 47,196,160,000 in 85.115 µs.
TEST_F(FasterRcnn, TimersDoNotWaitForTheDevice) {
  const auto flat = of_check(with_model(), "time_flat");
  ASSERT_EQ(flat.size(), 1u);
  EXPECT_EQ(flat[0].table, "clarity32 cuda");
  EXPECT_EQ(flat[0].evidence,
            "8 layers from 655.5 MFLOP to 47.20 GFLOP, 72 times as much, all take 77.25 µs to "
            "98.23 µs; backbonefpn_fpn_layer_0 would compute 554.5 TFLOP/s");
  const auto above = of_check(with_model(), "rate_above_peak");
  ASSERT_EQ(above.size(), 1u);
  EXPECT_EQ(above[0].table, "clarity32 cuda");
  EXPECT_EQ(above[0].row, "backbonefpn_fpn_layer_0");
}

// Without the model there are the shapes of the payload: 2·256·25·25 to 2·256·200·200 elements.
TEST_F(FasterRcnn, ShapesAloneShowIt) {
  const LintOutcome outcome = lint_of("fasterrcnn_profile.txt");
  EXPECT_EQ(of_check(outcome, "time_flat").at(0).evidence,
            "4 layers from 320.0 k elements to 20.48 M elements, 64 times as much, all take 85.12 "
            "µs to 98.23 µs");
}

// 0.07939 s of 0.10230 s, the sum of the rows that are not part of another; on the CPU 0.01510 s of
// 3.65560 s.
TEST_F(FasterRcnn, TheAnchorGeneratorAbsorbsTheWait) {
  const auto waits = of_check(with_model(), "absorbed_wait");
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].row, "rpn_anchor_generator");
  EXPECT_EQ(waits[0].evidence, "it takes 79.39 ms, 77 % of the time, and 0.4 % of it in \"cpu\"");
}

// 195.3 MiB for 1×256×200×200 floats, 39.0625 MiB: 4.9997 times.
TEST_F(FasterRcnn, MemoryAddsNestedEvents) {
  const auto memory = of_check(with_model(), "allocation_multiple");
  ASSERT_EQ(memory.size(), 1u);
  EXPECT_EQ(memory[0].table, "cpu");
  EXPECT_THAT(memory[0].evidence, HasSubstr("195.3 MiB for an output of 39.06 MiB: 5.00 times"));
  EXPECT_THAT(memory[0].rows, ElementsAre("backbonefpn_fpn_inner_2", "backbonefpn_fpn_layer_2",
                                          "backbonefpn_fpn_inner_1", "backbonefpn_fpn_layer_1",
                                          "backbonefpn_fpn_inner_0", "backbonefpn_fpn_layer_0"));
}

// 40,960,000 + 20,480,000 + 10,240,000 + 5,120,000 + 1,384,448 and 40,960,000 + 10,240,000 +
// 2,560,000 + 640,000 + 173,056
TEST_F(FasterRcnn, TheFpnListsTheTensorsOfTheBody) {
  const auto shapes = of_check(with_model(), "shapes");
  ASSERT_EQ(shapes.size(), 1u);
  EXPECT_EQ(shapes[0].row, "backbone_fpn_out([features])");
  EXPECT_EQ(shapes[0].evidence,
            "its 5 tensors have 78,184,448 bytes, and rpn_head_in takes 5 with 54,573,056: tensor "
            "1 is 1×512×100×100 and 1×256×100×100");
  EXPECT_THAT(shapes[0].meaning, HasSubstr("its first 4 are those of backbonefpn_body_out([x])"));
}

// The parts of roi_heads on the CPU: 0.187109 + 0.245737 + 0.009947 + 0.007059 = 0.449852 s, and it
// takes 0.444844; those of fpn 0.666739 of 0.805968 s.
TEST_F(FasterRcnn, PartsAndWholesDiffer) {
  const auto nesting = of_check(with_model(), "nesting");
  ASSERT_EQ(nesting.size(), 4u);
  EXPECT_EQ(nesting[0].row, "backbonefpn_fpn");
  EXPECT_EQ(nesting[0].evidence,
            "of its 806.0 ms, 12 parts explain 666.7 ms: 139.2 ms are left, 17 %");
  EXPECT_EQ(nesting[1].row, "roi_heads");
  EXPECT_EQ(nesting[1].evidence,
            "its 4 parts take 449.9 ms together, it takes 444.8 ms: 1.1 % less");
}

// RASP's page has both: 141 layers with 627,688,672 operations, and 327.14 million for the network.
TEST(Rasp, ItsTablesCountMobileNetInTwoWays) {
  const auto text_of = [](const char* file) {
    std::ifstream in(std::string(STRATA_SOURCE_DIR "/tests/lint/published/") + file);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const auto claims =
      lint::claims_from_text("# Layers of MobileNet V2\n\n" + text_of("rasp_mobilenet_v2.md") +
                                 "\n# Models\n\n" + text_of("rasp_torchvision_models.md"),
                             "rasp.md");
  ASSERT_TRUE(claims) << claims.error().message;
  std::vector<lint::Finding> found;
  for (const lint::Finding& finding : lint::check(*claims))
    if (finding.check == "tables") found.push_back(finding);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].rows, ElementsAre("mobilenet_v2"));
  EXPECT_THAT(found[0].evidence, HasSubstr("\"FLOPs\" is 327.1 M in the table at line 150"));
  EXPECT_THAT(found[0].evidence, HasSubstr("627.7 M, the sum of 141 rows, in the table at line 3"));
  EXPECT_THAT(found[0].meaning, HasSubstr("a multiply-add as one operation"));
}

}  // namespace
}  // namespace strata
