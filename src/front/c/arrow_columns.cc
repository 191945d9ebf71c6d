#include "c/arrow_columns.h"

#include <limits>
#include <optional>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "document/json_values.h"

namespace strata::c {

namespace {

void add_bit(std::vector<std::uint8_t>& bits, std::int64_t number, bool set) {
  if (number % 8 == 0) bits.push_back(0);
  if (set) bits.back() = static_cast<std::uint8_t>(bits.back() | (1u << (number % 8)));
}

// Appends values to columns of one kind each. Every add makes the column longer by one.
void add_valid(ArrowColumn& column, bool known) {
  add_bit(column.valid, column.length++, known);
  if (!known) ++column.nulls;
}

void add_whole(ArrowColumn& column, std::optional<std::int64_t> number) {
  add_valid(column, number.has_value());
  column.wholes.push_back(number.value_or(0));
}

void add_real(ArrowColumn& column, std::optional<double> number) {
  add_valid(column, number.has_value());
  column.reals.push_back(number.value_or(0));
}

void add_truth(ArrowColumn& column, std::optional<bool> truth) {
  add_bit(column.truths, column.length, truth.value_or(false));
  add_valid(column, truth.has_value());
}

std::int32_t offset_of(std::size_t size) {
  if (size > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw std::length_error("a column of text is larger than 2 GB");
  return static_cast<std::int32_t>(size);
}

void add_text(ArrowColumn& column, std::optional<std::string_view> text) {
  add_valid(column, text.has_value());
  for (std::string_view rest = text.value_or(""); !rest.empty();) {
    const CodePoint next = first_code_point(rest);
    column.letters += next.valid ? rest.substr(0, next.bytes) : "\xef\xbf\xbd";  // U+FFFD
    rest.remove_prefix(next.bytes);
  }
  column.offsets.push_back(offset_of(column.letters.size()));
}

ArrowColumn new_column(std::string name, std::string format) {
  ArrowColumn column;
  column.name = std::move(name);
  column.format = std::move(format);
  if (column.format == "u" || column.format == "+l") column.offsets.push_back(0);
  return column;
}

// Shapes are a list of lists of sizes; a size that is not a number is null.
ArrowColumn new_shapes(const std::string& name) {
  ArrowColumn shapes = new_column(name, "+l");
  ArrowColumn& shape = shapes.items.emplace_back(new_column("item", "+l"));
  shape.items.push_back(new_column("item", "l"));
  return shapes;
}

void add_shape(ArrowColumn& column, const Shape& shape) {
  add_valid(column, static_cast<bool>(shape));
  ArrowColumn& sizes = column.items[0];
  if (shape)
    for (const Expr& size : *shape)
      add_whole(sizes, size.is_number() ? std::optional(size.value()) : std::nullopt);
  column.offsets.push_back(offset_of(static_cast<std::size_t>(sizes.length)));
}

void add_shapes(ArrowColumn& column, const Cell& cell) {
  const auto* list = std::get_if<Cells>(&cell.value);
  const auto* one = std::get_if<Shape>(&cell.value);
  add_valid(column, list != nullptr || one != nullptr);
  ArrowColumn& shapes = column.items[0];
  if (one != nullptr) add_shape(shapes, *one);
  if (list != nullptr)
    for (const Cell& item : *list) {
      const auto* shape = std::get_if<Shape>(&item.value);
      add_shape(shapes, shape == nullptr ? Shape() : *shape);
    }
  column.offsets.push_back(offset_of(static_cast<std::size_t>(shapes.length)));
}

bool is_known(const Cell& cell) {
  return !cell.is_unknown() && cell.certainty != Certainty::Unknown;
}

std::optional<double> real_of(const Cell& cell) {
  if (!is_known(cell)) return std::nullopt;
  if (const auto* real = std::get_if<double>(&cell.value)) return *real;
  if (const auto* estimate = std::get_if<Estimate>(&cell.value)) return estimate->value;
  const auto* whole = std::get_if<Expr>(&cell.value);
  if (whole == nullptr || !whole->is_number()) return std::nullopt;
  return static_cast<double>(whole->value());
}

std::optional<std::int64_t> whole_of(const Cell& cell) {
  const auto* whole = std::get_if<Expr>(&cell.value);
  if (!is_known(cell) || whole == nullptr || !whole->is_number()) return std::nullopt;
  return whole->value();
}

// The range of a column's numbers over all rows.
struct Numbers {
  bool any_real = false, any_formula = false, any_bound = false;

  void look(const Cell& cell) {
    if (!is_known(cell)) return;
    const auto* whole = std::get_if<Expr>(&cell.value);
    any_real |= whole == nullptr;
    any_formula |= whole != nullptr && whole->is_formula();
    any_bound |= cell.certainty == Certainty::LowerBound;
  }
};

// One column of the table becomes one or more of Arrow's.
class Maker {
 public:
  Maker(const Table& table, std::size_t number) : column_(table.columns[number]), number_(number) {}

  void look(const TableRow& row) {
    if (number_ < row.cells.size()) numbers_.look(row.cells[number_]);
  }

  void begin() {
    const bool is_text = column_.unit == Unit::Text;
    switch (column_.type) {
      case ColumnType::Shapes:
        made_.push_back(new_shapes(column_.name));
        break;
      case ColumnType::Truth:
        made_.push_back(new_column(column_.name, "b"));
        break;
      case ColumnType::List:
        made_.push_back(new_column(column_.name, "u"));
        break;
      case ColumnType::Estimate:
        made_.push_back(new_column(column_.name, "g"));
        made_.push_back(new_column(column_.name + ".low", "g"));
        made_.push_back(new_column(column_.name + ".high", "g"));
        break;
      case ColumnType::Plain:
        made_.push_back(new_column(column_.name, is_text ? "u" : numbers_.any_real ? "g" : "l"));
        if (!is_text && numbers_.any_formula)
          made_.push_back(new_column(column_.name + ".formula", "u"));
        if (!is_text && numbers_.any_bound)
          made_.push_back(new_column(column_.name + ".at_least", "b"));
        break;
    }
    made_[0].metadata = {{"title", column_.title}, {"unit", std::string(name_of(column_.unit))}};
  }

  void add(const TableRow& row) {
    const Cell& cell = number_ < row.cells.size() ? row.cells[number_] : kNothing;
    switch (column_.type) {
      case ColumnType::Shapes:
        return add_shapes(made_[0], cell);
      case ColumnType::Truth: {
        const auto* truth = std::get_if<bool>(&cell.value);
        return add_truth(made_[0], truth == nullptr ? std::nullopt : std::optional(*truth));
      }
      case ColumnType::List:
        return add_json_text(cell);
      case ColumnType::Estimate: {
        const auto* estimate = std::get_if<Estimate>(&cell.value);
        add_real(made_[0], real_of(cell));
        add_real(made_[1], estimate == nullptr ? std::nullopt : std::optional(estimate->low));
        return add_real(made_[2],
                        estimate == nullptr ? std::nullopt : std::optional(estimate->high));
      }
      case ColumnType::Plain:
        return column_.unit == Unit::Text ? add_words(cell) : add_number(cell);
    }
  }

  void move_to(std::vector<ArrowColumn>& all) {
    for (ArrowColumn& column : made_) all.push_back(std::move(column));
  }

 private:
  static inline const Cell kNothing;

  void add_json_text(const Cell& cell) {
    if (!is_known(cell)) return add_text(made_[0], std::nullopt);
    const TableStyle style{.with_paths = true};
    using Handler = nlohmann::ordered_json::error_handler_t;
    const std::string text = JsonValues(style).value(cell).dump(-1, ' ', false, Handler::replace);
    add_text(made_[0], text);
  }

  void add_words(const Cell& cell) {
    if (!is_known(cell)) return add_text(made_[0], std::nullopt);
    if (const auto* text = std::get_if<std::string>(&cell.value)) return add_text(made_[0], *text);
    if (const auto* path = std::get_if<FilePath>(&cell.value))
      return add_text(made_[0], path->text);
    add_json_text(cell);
  }

  void add_number(const Cell& cell) {
    if (numbers_.any_real)
      add_real(made_[0], real_of(cell));
    else
      add_whole(made_[0], whole_of(cell));
    std::size_t next = 1;
    if (numbers_.any_formula) {
      const auto* formula = std::get_if<Expr>(&cell.value);
      const bool is_formula = is_known(cell) && formula != nullptr && formula->is_formula();
      const std::string text = is_formula ? formula->text() : "";
      add_text(made_[next++], is_formula ? std::optional<std::string_view>(text) : std::nullopt);
    }
    if (numbers_.any_bound)
      add_truth(made_[next], is_known(cell) ? std::optional(cell.certainty == Certainty::LowerBound)
                                            : std::nullopt);
  }

  const Column& column_;
  const std::size_t number_;
  Numbers numbers_;
  std::vector<ArrowColumn> made_;
};

}  // namespace

std::vector<ArrowColumn> arrow_columns(const Table& table) {
  std::vector<Maker> makers;
  makers.reserve(table.columns.size());
  for (std::size_t i = 0; i < table.columns.size(); ++i) makers.emplace_back(table, i);
  for_each_row(table, [&](const TableRow& row) {
    for (Maker& maker : makers) maker.look(row);
    return true;
  });
  for (Maker& maker : makers) maker.begin();
  ArrowColumn depth = new_column("depth", "l");
  for_each_row(table, [&](const TableRow& row) {
    for (Maker& maker : makers) maker.add(row);
    if (table.tree) add_whole(depth, row.depth);
    return true;
  });
  std::vector<ArrowColumn> all;
  for (Maker& maker : makers) maker.move_to(all);
  if (table.tree) all.push_back(std::move(depth));
  return all;
}

}  // namespace strata::c
