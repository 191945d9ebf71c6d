#include "c/arrow.h"

#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata::c {
namespace {

using testing::ElementsAre;

// A table with a column of each type. The third row knows nothing.
Table small_table() {
  Table table;
  table.name = "rows";
  table.columns = {{"layer", "layer"},
                   {"macs", "MACs", Unit::Macs},
                   {"share", "share", Unit::Percent},
                   {"size", "size", Unit::Bytes},
                   {"time", "time", Unit::Seconds, false, 0, ColumnType::Estimate},
                   {"shapes", "shapes", Unit::Text, false, 0, ColumnType::Shapes},
                   {"known", "known", Unit::Text, false, 0, ColumnType::Truth},
                   {"list", "list", Unit::Text, false, 0, ColumnType::List}};
  const Expr open = Expr::symbol("N") * Expr(3);
  const Shape shape(Dims{Expr(2), Expr::symbol("N")});
  table.rows.push_back(
      {{Cell("a\xff"), Cell(7), Cell(0.5), Cell(open), Cell(Estimate{1, 0.5, 2}),
        Cell(Cells{Cell(shape), Cell(Shape())}), Cell(true), Cell(Cells{Cell(1), Cell("x")})}});
  table.rows.push_back({{Cell("b"), Cell(9), Cell(1), Cell(Expr(4), Certainty::LowerBound),
                         Cell(3.0), Cell(Cells{}), Cell(false), Cell(Cells{})}});
  table.rows.push_back({std::vector<Cell>(8)});
  return table;
}

// A consumer's view.
class Taken {
 public:
  explicit Taken(const Table& table) {
    make_stream(table, stream_);
    EXPECT_EQ(stream_.get_schema(&stream_, &schema_), 0);
    EXPECT_EQ(stream_.get_next(&stream_, &rows_), 0);
    ArrowArray end;
    EXPECT_EQ(stream_.get_next(&stream_, &end), 0);
    EXPECT_EQ(end.release, nullptr) << "one batch";
    stream_.release(&stream_);
    for (std::int64_t i = 0; i < schema_.n_children; ++i) number_[schema_.children[i]->name] = i;
  }
  ~Taken() {
    rows_.release(&rows_);
    schema_.release(&schema_);
  }

  std::int64_t length() const { return rows_.length; }
  bool has(const std::string& name) const { return number_.contains(name); }
  const ArrowSchema& schema(const std::string& name) const {
    return *schema_.children[number_.at(name)];
  }
  const ArrowArray& array(const std::string& name) const {
    return *rows_.children[number_.at(name)];
  }
  std::string format(const std::string& name) const { return schema(name).format; }

  static bool is_valid(const ArrowArray& array, std::int64_t row) {
    const auto* bits = static_cast<const std::uint8_t*>(array.buffers[0]);
    return bits == nullptr || ((bits[row / 8] >> (row % 8)) & 1) != 0;
  }
  template <class T>
  static std::vector<std::optional<T>> values(const ArrowArray& array) {
    std::vector<std::optional<T>> all;
    for (std::int64_t i = 0; i < array.length; ++i)
      all.push_back(is_valid(array, i) ? std::optional(static_cast<const T*>(array.buffers[1])[i])
                                       : std::nullopt);
    return all;
  }
  std::vector<std::optional<std::string>> texts(const std::string& name) const {
    const ArrowArray& own = array(name);
    const auto* at = static_cast<const std::int32_t*>(own.buffers[1]);
    std::vector<std::optional<std::string>> all;
    for (std::int64_t i = 0; i < own.length; ++i)
      all.push_back(is_valid(own, i) ? std::optional(std::string(
                                           static_cast<const char*>(own.buffers[2]) + at[i],
                                           static_cast<const char*>(own.buffers[2]) + at[i + 1]))
                                     : std::nullopt);
    return all;
  }

 private:
  ArrowArrayStream stream_;
  ArrowSchema schema_;
  ArrowArray rows_;
  std::map<std::string, std::int64_t> number_;
};

TEST(Arrow, NumbersAreWholeWhereAllAre) {
  const Taken taken(small_table());
  EXPECT_EQ(taken.length(), 3);
  EXPECT_EQ(taken.format("macs"), "l");
  EXPECT_THAT(Taken::values<std::int64_t>(taken.array("macs")), ElementsAre(7, 9, std::nullopt));
  EXPECT_EQ(taken.format("share"), "g");
  EXPECT_THAT(Taken::values<double>(taken.array("share")), ElementsAre(0.5, 1.0, std::nullopt));
  EXPECT_EQ(taken.array("macs").null_count, 1);
}

TEST(Arrow, FormulasAndBoundsHaveColumnsOfTheirOwn) {
  const Taken taken(small_table());
  EXPECT_THAT(Taken::values<std::int64_t>(taken.array("size")),
              ElementsAre(std::nullopt, 4, std::nullopt));
  EXPECT_THAT(taken.texts("size.formula"), ElementsAre("3·N", std::nullopt, std::nullopt));
  EXPECT_EQ(taken.format("size.at_least"), "b");
  EXPECT_EQ(*static_cast<const std::uint8_t*>(taken.array("size.at_least").buffers[1]), 2);
  EXPECT_FALSE(taken.has("macs.formula"));
}

TEST(Arrow, TextsAreUtf8) {
  const Taken taken(small_table());
  EXPECT_THAT(taken.texts("layer"), ElementsAre("a\xef\xbf\xbd", "b", std::nullopt));
  EXPECT_THAT(taken.texts("list"), ElementsAre("[1,\"x\"]", "[]", std::nullopt));
}

TEST(Arrow, EstimatesHaveTheirEnds) {
  const Taken taken(small_table());
  EXPECT_THAT(Taken::values<double>(taken.array("time")), ElementsAre(1.0, 3.0, std::nullopt));
  EXPECT_THAT(Taken::values<double>(taken.array("time.low")),
              ElementsAre(0.5, std::nullopt, std::nullopt));
  EXPECT_THAT(Taken::values<double>(taken.array("time.high")),
              ElementsAre(2.0, std::nullopt, std::nullopt));
}

TEST(Arrow, ShapesAreListsOfListsOfSizes) {
  const Taken taken(small_table());
  const ArrowArray& shapes = taken.array("shapes");
  const auto* rows = static_cast<const std::int32_t*>(shapes.buffers[1]);
  EXPECT_THAT(std::vector<std::int32_t>(rows, rows + 4), ElementsAre(0, 2, 2, 2));
  EXPECT_FALSE(Taken::is_valid(shapes, 2));
  const ArrowArray& shape = *shapes.children[0];
  EXPECT_EQ(shape.length, 2);
  EXPECT_TRUE(Taken::is_valid(shape, 0));
  EXPECT_FALSE(Taken::is_valid(shape, 1)) << "not even the number of axes is known";
  EXPECT_THAT(Taken::values<std::int64_t>(*shape.children[0]), ElementsAre(2, std::nullopt));
}

TEST(Arrow, ColumnsSayTheirTitlesAndUnits) {
  const Taken taken(small_table());
  const char* metadata = taken.schema("macs").metadata;
  std::int32_t pairs = 0;
  std::memcpy(&pairs, metadata, sizeof pairs);
  EXPECT_EQ(pairs, 2);
  // 4 bytes each for the number of pairs and for the sizes of `title`, `MACs` and `unit`.
  EXPECT_EQ(std::string(metadata + 8, 5), "title");
  EXPECT_EQ(std::string(metadata + 17, 4), "MACs");
}

TEST(Arrow, ATableWithoutRowsIsAnEmptyBatch) {
  Table table = small_table();
  table.rows.clear();
  const Taken taken(table);
  EXPECT_EQ(taken.length(), 0);
  EXPECT_EQ(taken.format("layer"), "u");
}

}  // namespace
}  // namespace strata::c
