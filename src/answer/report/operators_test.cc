#include "report/operators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/document/document.h"

namespace strata {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
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

// The counterpart of OneHasItsWorkedExamples.
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

TEST(OperatorsReport, ADomainCanBeChosen) {
  EXPECT_TRUE(is_operator_domain("aten"));
  EXPECT_TRUE(is_operator_domain("ai.onnx"));
  EXPECT_FALSE(is_operator_domain("Conv"));
  EXPECT_FALSE(is_operator_domain(""));
  EXPECT_THAT(operators_to_text("aten"),
              AllOf(StartsWith("aten ("), HasSubstr(" conv2d"), Not(HasSubstr("ai.onnx"))));
  EXPECT_THAT(operator_to_text("addmm"),
              AllOf(StartsWith("addmm (aten)\n\n  Gemm in ONNX\n"), HasSubstr("2048000")));
  EXPECT_THAT(operators_to_markdown("aten"), Not(HasSubstr("| ai.onnx |")));
}

// relu_(Tensor(a!) self) -> Tensor(a!)
TEST(OperatorsReport, ProgramsGetTheArgumentsOfPyTorchsOperators) {
  EXPECT_EQ(operators_document("aten").tables.size(), 1u);
  const Document document = operators_document("aten", true);
  const Table* arguments = document.table("arguments");
  ASSERT_NE(arguments, nullptr);
  std::vector<std::string> found;
  for (const TableRow& row : arguments->rows)
    if (std::get<std::string>(row.cells[0].value) == "relu_")
      found.push_back(std::get<std::string>(row.cells[1].value) + " " +
                      std::get<std::string>(row.cells[3].value));
  EXPECT_THAT(found, testing::ElementsAre("argument Tensor", "result Tensor"));
}

TEST(OperatorsReport, MarkdownHasATableForEachFamily) {
  EXPECT_THAT(operators_to_markdown(), AllOf(StartsWith("# Operators\n"), HasSubstr("\n## conv\n"),
                                             HasSubstr("| Conv | ai.onnx | 1+ | `f32[")));
}

}  // namespace
}  // namespace strata
