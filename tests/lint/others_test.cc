// Files of other programs, as they wrote them: ONNX Runtime 1.27 (four runs of SqueezeNet) and
// torch 1.13 (two runs of a small network).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "strata/task/lint.h"

namespace strata {
namespace {

LintOutcome lint_of(const std::string& file, LintRequest request = {}) {
  request.file = std::string(STRATA_SOURCE_DIR "/tests/lint/files/") + file;
  auto outcome = run_lint(request);
  EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().message);
  return outcome ? std::move(*outcome) : LintOutcome{};
}

// Summed up by json and sum() of Python: the runs are 907, 641, 589 and 559 µs, 674 on average, and
// the 40 kernels take 579 µs of it.
TEST(OnnxruntimeProfile, HasARemainderThatNoKernelExplains) {
  const LintOutcome outcome = lint_of("onnxruntime_squeezenet1_1.json");
  EXPECT_EQ(outcome.claims.format, "onnxruntime");
  EXPECT_EQ(outcome.claims.tables.at(0).rows.size(), 41u);
  ASSERT_EQ(outcome.findings.size(), 1u);
  EXPECT_EQ(outcome.findings[0].row, "model_run");
  EXPECT_EQ(outcome.findings[0].evidence,
            "of its 674.0 µs, 40 parts explain 579.0 µs: 95.00 µs are left, 14 %");
}

// `aten::conv2d` takes 326 µs in both steps together, `aten::linear` 75 µs and the steps 673 µs.
TEST(TorchTrace, FunctionsNest) {
  const LintOutcome outcome = lint_of("torch_trace.json");
  EXPECT_EQ(outcome.claims.format, "trace");
  const lint::ClaimTable& table = outcome.claims.tables.at(0);
  const auto row = [&](std::string_view name) {
    return *std::find_if(table.rows.begin(), table.rows.end(),
                         [&](const lint::ClaimRow& one) { return one.name == name; });
  };
  EXPECT_NEAR(row("step").numbers[0]->value, 673e-6, 1e-12);
  EXPECT_NEAR(row("aten::conv2d").numbers[0]->value, 326e-6, 1e-12);
  EXPECT_NEAR(row("aten::linear").numbers[0]->value, 75e-6, 1e-12);
  ASSERT_TRUE(row("aten::conv2d").parent);
  EXPECT_EQ(table.rows[*row("aten::conv2d").parent].name, "step");
  EXPECT_THAT(outcome.findings, testing::IsEmpty());
}

}  // namespace
}  // namespace strata
