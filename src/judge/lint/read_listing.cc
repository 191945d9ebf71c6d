// Lines of a name and a number, `conv1 :: 0.25`, in sections that a word between dashes begins:
//
//   ------------ payload -----------      tensors: `x_in :: torch.Size([1, 3, 8, 8]) 0.000768 Mb`,
//   -------------- cpu -------------      and `x_in :: 76800000` for bytes of several
//   Average Time of Each Layer            seconds
//   mem_cpu | Average Mem Consumption …   as torch's profiler adds them up: in MiB
//
// Layers of a section nest by their names; shapes come from the tensors called `NAME_in` and
// `NAME_out`.

#include "lint/nesting.h"
#include "lint/number.h"
#include "lint/readers.h"
#include "lint/shape.h"
#include "strata/base/text_map.h"

namespace strata::lint {

namespace {

constexpr std::string_view kBetween = " :: ";
constexpr double kMebibyte = 1048576;

// `cpu` of `------ cpu ------`; empty for dashes alone.
std::string_view section_title(std::string_view line) {
  while (line.starts_with('-')) line.remove_prefix(1);
  while (line.ends_with('-')) line.remove_suffix(1);
  return trimmed(line);
}

class ListingReader {
 public:
  void line(std::string_view text) {
    text = trimmed(text);
    if (text.empty()) return;
    if (text.starts_with("--")) {
      if (const std::string_view title = section_title(text); !title.empty()) {
        claims_.tables.push_back({.title = std::string(title)});
        rows_.clear();
        column_.reset();
      }
      return;
    }
    const std::size_t at = text.find(kBetween);
    if (at == text.npos) return heading(text);
    entry(trimmed(text.substr(0, at)), trimmed(text.substr(at + kBetween.size())));
  }

  Result<Claims> finish() {
    std::erase_if(claims_.tables, [](const ClaimTable& table) { return table.rows.empty(); });
    if (claims_.tables.empty()) return failure("no line has a name and a number");
    for (ClaimTable& table : claims_.tables) {
      for (ClaimRow& row : table.rows) row.numbers.resize(table.columns.size());
      nest_by_names(table, "_./[");
      group_tensors(table);
    }
    for (ClaimTable& table : claims_.tables)
      for (ClaimRow& row : table.rows)
        if (!row.is_tensors) find_shapes(row);
    return std::move(claims_);
  }

 private:
  ClaimTable& table() {
    if (claims_.tables.empty()) claims_.tables.emplace_back();
    return claims_.tables.back();
  }

  void heading(std::string_view text) {
    const bool time = text.find("Time") != text.npos || text.find("time") != text.npos;
    const bool memory = text.find("Mem") != text.npos || text.find("mem") != text.npos;
    if (!time && !memory) return;
    const bool average = text.find("Average") != text.npos;
    ClaimColumn column;
    column.title = std::string(trimmed(text.substr(0, text.find('|'))));
    column.meaning = time ? Meaning::Seconds : Meaning::AllocatedBytes;
    column.statistic = average && time ? Statistic::Mean : Statistic::Value;
    factor_ = time ? 1 : kMebibyte;
    column_ = table().columns.size();
    table().columns.push_back(std::move(column));
  }

  ClaimRow& row(std::string_view name) {
    const auto [at, is_new] = rows_.emplace(std::string(name), table().rows.size());
    if (is_new) table().rows.push_back({.name = std::string(name)});
    return table().rows[at->second];
  }

  void entry(std::string_view name, std::string_view value) {
    ClaimRow& at = row(name);
    std::size_t column = column_.value_or(0);
    double factor = factor_;
    if (!column_) {  // a list of tensors, in bytes
      at.is_tensors = true;
      factor = 1;
      if (table().columns.empty())
        table().columns.push_back({.title = "bytes", .meaning = Meaning::TensorBytes});
    }
    if (const std::size_t close = value.find(')');
        value.starts_with("torch.Size(") && close != value.npos) {
      if (const auto shape = parse_shape(value.substr(0, close + 1))) at.outputs = {*shape};
      value = value.substr(close + 1);
    }
    auto number = parse_number(value);
    if (!number) return;
    number->value *= factor;
    number->rounding *= factor;
    if (at.numbers.size() <= column) at.numbers.resize(column + 1);
    at.numbers[column] = number;
  }

  // `x[0]`, `x[1]` and a line `x` for both.
  static void group_tensors(ClaimTable& table) {
    const auto children = table.children();
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      ClaimRow& row = table.rows[r];
      if (!row.is_tensors || !row.outputs.empty()) continue;
      for (std::size_t child : children[r])
        row.outputs.insert(row.outputs.end(), table.rows[child].outputs.begin(),
                           table.rows[child].outputs.end());
      row.is_sum = !row.outputs.empty();
    }
    for (ClaimRow& row : table.rows)
      if (row.is_tensors && row.parent && !table.rows[*row.parent].is_sum) row.parent.reset();
  }

  // True for `fpn_interpolate2` and the layer `backbone_fpn_interpolate2`, and the other way round.
  static bool is_of(std::string_view layer, std::string_view tensor) {
    if (layer == tensor) return true;
    const std::string_view longer = layer.size() > tensor.size() ? layer : tensor;
    const std::string_view shorter = layer.size() > tensor.size() ? tensor : layer;
    return longer.ends_with(shorter) && longer[longer.size() - shorter.size() - 1] == '_';
  }

  void find_shapes(ClaimRow& row) const {
    for (const ClaimTable& table : claims_.tables)
      for (const ClaimRow& tensor : table.rows) {
        if (!tensor.is_tensors || tensor.outputs.size() != 1 || tensor.parent) continue;
        const std::string_view name = tensor.name;
        if (name.ends_with("_in") && is_of(row.name, name.substr(0, name.size() - 3)))
          row.inputs = tensor.outputs;
        if (name.ends_with("_out") && is_of(row.name, name.substr(0, name.size() - 4)))
          row.outputs = tensor.outputs;
      }
  }

  Claims claims_;
  TextMap<std::string, std::size_t> rows_;  // of the last table, by name
  std::optional<std::size_t> column_;       // that numbers go to
  double factor_ = 1;
};

}  // namespace

bool looks_like_listing(std::string_view text) {
  std::size_t entries = 0;
  for (std::string_view line : lines_of(text.substr(0, 4096)))
    if (line.find(kBetween) != line.npos) ++entries;
  return entries >= 3;
}

Result<Claims> read_listing(std::string_view text) {
  constexpr std::size_t kMaxLines = 20000;  // shapes are looked for by every name
  const std::vector<std::string_view> lines = lines_of(text);
  if (lines.size() > kMaxLines) return failure("it has more than 20,000 lines");
  ListingReader reader;
  for (std::string_view line : lines) reader.line(line);
  return reader.finish();
}

}  // namespace strata::lint
