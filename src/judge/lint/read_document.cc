// strata's own documents: every table of one, with the units that its columns state.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file_form.h"
#include "base/in_quotes.h"
#include "base/json_text.h"
#include "lint/heading.h"
#include "lint/number.h"
#include "lint/readers.h"
#include "strata/base/statistics.h"

namespace strata::lint {

namespace {

using Json = nlohmann::ordered_json;
constexpr int kDeepest = 10;
constexpr std::int64_t kSchema = 2;

constexpr std::string_view kLabels[] = {"layer",     "model", "name",  "backend",
                                        "precision", "shape", "device"};

bool is_label(std::string_view name) {
  return std::find(std::begin(kLabels), std::end(kLabels), name) != std::end(kLabels);
}

// Nullptr if there is none of that type.
const Json* member(const Json& from, const char* key, Json::value_t type) {
  if (!from.is_object()) return nullptr;
  const auto found = from.find(key);
  return found != from.end() && found->type() == type ? &*found : nullptr;
}
const Json* object(const Json& from, const char* key) {
  return member(from, key, Json::value_t::object);
}
const Json* list(const Json& from, const char* key) {
  return member(from, key, Json::value_t::array);
}
std::string text(const Json& from, const char* key) {
  const Json* found = member(from, key, Json::value_t::string);
  return found == nullptr ? std::string() : found->get<std::string>();
}
std::optional<double> real(const Json& from, const char* key) {
  if (!from.is_object()) return std::nullopt;
  const auto found = from.find(key);
  if (found == from.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

// `[[1, 3, 8, 8]]`; none where a size is open.
std::vector<ClaimShape> shapes(const Json& row, const char* key) {
  std::vector<ClaimShape> out;
  const Json* all = list(row, key);
  if (all == nullptr) return out;
  for (const Json& one : *all) {
    if (!one.is_array()) return {};
    ClaimShape shape;
    for (const Json& size : one) {
      if (!size.is_number_integer() || size.get<std::int64_t>() < 0) return {};
      shape.push_back(size.get<std::int64_t>());
    }
    out.push_back(std::move(shape));
  }
  return out;
}

struct ColumnNames {
  std::vector<std::string> labels, numbers;
};

ColumnNames read_columns(const Json& json, ClaimTable& table) {
  ColumnNames names;
  for (const Json& item : json) {
    const std::string name = text(item, "name"), unit = text(item, "unit");
    if (is_label(name)) {
      names.labels.push_back(name);
      table.label_titles.push_back(name);
    } else if (!name.empty() && unit != "text") {
      ClaimColumn column = parse_heading(name).column;
      const Json* additive = member(item, "additive", Json::value_t::boolean);
      column.adds_up = additive != nullptr && additive->get<bool>();
      column.unit = unit;
      names.numbers.push_back(name);
      table.columns.push_back(std::move(column));
    }
  }
  return names;
}

ClaimRow read_row(const Json& json, const ColumnNames& names) {
  ClaimRow row;
  for (const std::string& name : names.labels) {
    row.labels.push_back(text(json, name.c_str()));
    if (!row.labels.back().empty()) row.name += (row.name.empty() ? "" : " / ") + row.labels.back();
  }
  row.type = text(json, "type");
  row.inputs = shapes(json, "input");
  row.outputs = shapes(json, "output");
  for (const std::string& name : names.numbers) {
    const auto number = real(json, name.c_str());
    row.numbers.push_back(number ? std::optional(ClaimNumber{*number, 0}) : std::nullopt);
  }
  return row;
}

// Rows of a tree say how deep they are.
void nest_by_depth(const Json& rows, ClaimTable& table) {
  std::vector<std::size_t> open;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const auto depth = real(rows[r], "depth");
    if (!depth || *depth < 0 || *depth > static_cast<double>(open.size())) continue;
    open.resize(static_cast<std::size_t>(*depth));
    if (!open.empty()) table.rows[r].parent = open.back();
    open.push_back(r);
  }
}

std::optional<ClaimTable> read_table(const std::string& name, const Json& json) {
  const Json* columns = list(json, "columns");
  const Json* rows = list(json, "rows");
  if (columns == nullptr || rows == nullptr) return std::nullopt;
  ClaimTable table{.title = name};
  const ColumnNames names = read_columns(*columns, table);
  for (const Json& row : *rows) table.rows.push_back(read_row(row, names));
  nest_by_depth(*rows, table);
  if (const Json* totals = object(json, "totals"))
    table.totals.push_back(read_row(*totals, {{}, names.numbers}));
  return table;
}

// The runs behind a timed profile.
std::optional<ClaimTable> read_timing(const Json& timing) {
  const auto median = real(timing, "median_s");
  const Json* samples = list(timing, "samples_s");
  if (!median || samples == nullptr) return std::nullopt;
  ClaimTable table{.title = "end to end"};
  table.columns = {{.title = "median_s",
                    .meaning = Meaning::Seconds,
                    .statistic = Statistic::Median,
                    .unit = "seconds"},
                   {.title = "runs", .meaning = Meaning::Samples}};
  ClaimRow row{.name = "the network"};
  for (const Json& sample : *samples)
    if (sample.is_number()) row.samples.push_back(sample.get<double>());
  row.numbers = {ClaimNumber{*median, 0}, ClaimNumber{static_cast<double>(row.samples.size()), 0}};
  table.rows.push_back(std::move(row));
  return table;
}

// True if the caller chose some of the rows: totals are of all.
bool lacks_rows(const Json& json) {
  const Json* options = object(json, "options");
  if (options == nullptr) return false;
  for (const auto& [option, value] : options->items()) {
    const std::string name = option.substr(std::min(option.find_first_not_of('-'), option.size()));
    if (name == "top" || name == "filter" || name == "depth") return true;
  }
  return false;
}

// Rows that cost nothing in a run, such as views and constants, may be hidden; they have outputs,
// and work at load, all the same.
bool hides_rows(const Json& json) {
  const Json* facts = object(json, "facts");
  return facts != nullptr && real(*facts, "hidden_rows").value_or(0) > 0;
}

}  // namespace

bool looks_like_document(std::string_view text) {
  return !json_kind(text).empty() || (trimmed(text.substr(0, 64)).starts_with('{') &&
                                      text.substr(0, 256).find("\"schema\"") != text.npos);
}

Result<Claims> read_document(std::string_view bytes) {
  const Json json = json_from_text(bytes, kDeepest);
  if (!json.is_object()) return failure("it is not a JSON object");
  if (real(json, "schema") != static_cast<double>(kSchema))
    return failure(fmt::format("it is not a document of schema {}", kSchema));
  const Json* tables = object(json, "tables");
  if (tables == nullptr) return failure("it has no tables");
  Claims claims;
  for (const auto& [name, table] : tables->items())
    if (auto read = read_table(name, table)) claims.tables.push_back(std::move(*read));
  if (lacks_rows(json))
    for (ClaimTable& table : claims.tables) table.totals.clear();
  if (hides_rows(json))
    for (ClaimTable& table : claims.tables)
      for (ClaimColumn& column : table.columns)
        if (column.meaning == Meaning::TensorBytes || column.title.starts_with("load_"))
          column.adds_up = false;
  if (const Json* facts = object(json, "facts")) {
    if (const Json* timing = object(*facts, "timing"))
      if (auto table = read_timing(*timing)) claims.tables.push_back(std::move(*table));
    if (const Json* roofline = object(*facts, "roofline")) {
      claims.peak_flops_per_s = real(*roofline, "flops_per_s");
      claims.peak_bytes_per_s = real(*roofline, "bytes_per_s");
    }
  }
  const bool known =
      std::any_of(claims.tables.begin(), claims.tables.end(), [](const ClaimTable& table) {
        return std::any_of(table.columns.begin(), table.columns.end(),
                           [](const auto& column) { return column.meaning != Meaning::Other; });
      });
  if (!known)
    return failure(
        fmt::format("a document of kind {} has nothing to check", in_quotes(text(json, "kind"))));
  return claims;
}

}  // namespace strata::lint
