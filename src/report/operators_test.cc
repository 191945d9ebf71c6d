#include "report/operators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/document/document.h"

namespace strata {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST(OperatorsReport, NamesStandByDomain) {
  const std::string text = operators_to_text();
  EXPECT_THAT(text, StartsWith("ai.onnx ("));
  EXPECT_THAT(text, AllOf(HasSubstr(" Conv "), HasSubstr("\ncom.microsoft (")));
}

// 7·7·3·64·112·112 products of the first layer of ResNet.
TEST(OperatorsReport, OneHasItsWorkedExamples) {
  EXPECT_THAT(operator_to_text("Conv"), AllOf(StartsWith("Conv (ai.onnx, version 1+)\n"),
                                              HasSubstr("  MACs        118013952\n")));
  EXPECT_THAT(operator_to_text("Nothing"), IsEmpty());
}

// As OneHasItsWorkedExamples.
TEST(OperatorsReport, TheTableHasARowForEachRule) {
  Document document = operators_document();
  ASSERT_TRUE(choose(document, {.columns = "operator,domain,versions,macs", .filter = "Conv"}));
  const Table& table = document.tables.at(0);
  ASSERT_EQ(table.rows.size(), 3u);  // in three domains
  EXPECT_EQ(std::get<std::string>(table.rows[0].cells[0].value), "Conv");
  EXPECT_EQ(std::get<std::string>(table.rows[0].cells[1].value), "ai.onnx");
  EXPECT_EQ(std::get<std::string>(table.rows[0].cells[2].value), "1+");
  EXPECT_EQ(std::get<Expr>(table.rows[0].cells[3].value).value(), 118'013'952);
}

TEST(OperatorsReport, MarkdownHasATableForEachFamily) {
  EXPECT_THAT(operators_to_markdown(), AllOf(StartsWith("# Operators\n"), HasSubstr("\n## conv\n"),
                                             HasSubstr("| Conv | ai.onnx | 1+ | `f32[")));
}

}  // namespace
}  // namespace strata
