// Names of layers and files are data in every chart: a picture shows them and acts on none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/utf8.h"
#include "base/visible.h"
#include "document/chart/charts.h"

namespace strata {
namespace {

const std::string kName = "</text><script>alert(1)</script>\x1b]0;t\x07\n&\xe2\x80\xae\xff\"'";

// A document that has the chart, with the name wherever a document has one.
Document document_with(const std::string& chart) {
  const bool is_profile = chart == "along" || chart == "memory" || chart == "roofline" ||
                          chart == "treemap" || chart == "graph";
  const bool is_bench = chart == "latency" || chart == "speed-up";
  const char* kind = is_profile               ? "profile"
                     : is_bench               ? "bench"
                     : chart == "sensitivity" ? "sensitivity"
                     : chart == "changes"     ? "diff"
                                              : "payload";
  Document document = new_document(kind);
  document.facts = {
      {"model", Members{{"path", FilePath{kName}}}},
      {"report", "tape"},
      {"memory", Members{{"peak_layer", kName}, {"peak_bytes", 12}}},
      {"roofline", Members{{"flops_per_s", 100.0}, {"bytes_per_s", 10.0}}},
      {"metric", kName},
      {"unit", "dB"},
      {"split",
       Members{{"link_bytes_per_second", 5.0},
               {"by_link", Cells{Members{{"to_bytes_per_second", 5.0}, {"choice", kName}}}},
               {"curve", Cells{Members{{"link_bytes_per_second", 1.0}, {"best_seconds", 1.0}},
                               Members{{"link_bytes_per_second", 9.0}, {"best_seconds", 2.0}}}}}}};
  Table table{.name = is_bench ? "variants" : chart == "cuts" ? "cuts" : "layers"};
  for (const char* name : {"layer", "layer_after", "after", "type", "backend", "model", "change"})
    table.columns.push_back({name, name});
  for (const char* name : {"params", "macs", "time", "alive", "flops_per_s", "intensity",
                           "median_s", "speed_up", "value", "raw", "macs_before", "macs_after"})
    table.columns.push_back({name, name, Unit::Count, true});
  for (int i = 1; i < 4; ++i) {
    TableRow& row = table.rows.emplace_back();
    for (int text = 0; text < 6; ++text) row.cells.emplace_back(kName + std::to_string(i));
    row.cells.emplace_back("changed");
    for (int number = 0; number < 12; ++number) row.cells.emplace_back(1.0 * i + number);
    table.edges.reads.push_back({i - 2});  // each layer reads the one before it
  }
  table.edges.returned = {2};
  document.tables.push_back(std::move(table));
  return document;
}

TEST(ChartNames, NoPictureActsOnThem) {
  for (const std::string& chart : chart_names()) {
    const auto scene = chart_of(document_with(chart), chart);
    ASSERT_TRUE(scene) << chart << ": " << scene.error().message;
    const std::string svg = scene_to_svg(*scene);
    EXPECT_EQ(svg.find("<script"), svg.npos) << chart;
    // Every element stands in a line of its own, and none was added.
    std::istringstream lines(svg);
    for (std::string line; std::getline(lines, line);)
      EXPECT_TRUE(line.starts_with('<') && line.ends_with('>')) << chart << ": " << line;
    for (std::string_view left = svg; !left.empty();) {
      const CodePoint point = first_code_point(left);
      EXPECT_TRUE(point.valid && (point.code == '\n' || !is_hidden(point.code))) << chart;
      left.remove_prefix(point.bytes);
    }
  }
}

}  // namespace
}  // namespace strata
