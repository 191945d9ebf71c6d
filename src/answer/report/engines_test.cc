#include "strata/report/engines.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

std::vector<TriedEngine> engines() {
  TriedEngine works{.name = "quick", .release = "1.2", .plugin = "/lib/quick.so"};
  works.formats = "onnx";
  works.devices = {{"cpu", "", {{"fp32", ""}, {"int8", ""}}},
                   {"gpu:0", "a card", {{"fp32", ""}, {"fp16", "it has no halves"}}}};
  return {works,
          {.name = "torn", .failed = "crashed when it was tried"},
          {.name = "none", .missing = "no engine \"none\" on this machine"}};
}

TEST(EnginesReport, EachHasItsLines) {
  EXPECT_EQ(engines_to_text(engines()),
            "quick 1.2\n"
            "  plugin   /lib/quick.so\n"
            "  opens    onnx\n"
            "  cpu      fp32, int8\n"
            "  gpu:0    a card: fp32\n"
            "           no fp16: it has no halves\n"
            "\n"
            "torn crashed when it was tried\n"
            "\n"
            "no engine \"none\" on this machine\n");
}

TEST(EnginesReport, EachPrecisionIsARow) {
  const Document document = engines_document(engines());
  const Table& table = document.tables.front();
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(std::get<std::string>(table.rows[3].cells[2].value), "fp16");
  EXPECT_EQ(std::get<bool>(table.rows[3].cells[3].value), false);
  EXPECT_EQ(std::get<std::string>(table.rows[3].cells[4].value), "it has no halves");
  EXPECT_TRUE(table.rows[0].cells[4].is_unknown());
  const auto& all = std::get<Cells>(find_member(document.facts, "engines")->value);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(std::get<std::string>(find_member(all[1], "failed")->value),
            "crashed when it was tried");
  EXPECT_EQ(std::get<std::string>(find_member(all[2], "missing")->value),
            "no engine \"none\" on this machine");
}

}  // namespace
}  // namespace strata
