#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "lint/checks.h"
#include "lint/shape.h"
#include "strata/base/number_text.h"

namespace strata::lint {

namespace {

// Layers that change no shape, by what torch calls them.
constexpr std::string_view kKeepsShape[] = {"ReLU", "BatchNorm", "Dropout", "LayerNorm",
                                            "GELU", "SiLU",      "Sigmoid", "Hardswish"};

bool keeps_shape(std::string_view type) {
  return std::any_of(std::begin(kKeepsShape), std::end(kKeepsShape),
                     [&](std::string_view one) { return type.starts_with(one); }) &&
         type.find('+') == type.npos;
}

// 3 for `features.3`, with `features` before it.
std::optional<int> place_in_sequence(std::string_view name, std::string_view& before) {
  const std::size_t dot = name.rfind('.');
  if (dot == name.npos) return std::nullopt;
  int number = 0;
  const char* end = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data() + dot + 1, end, number);
  if (error != std::errc() || at != end) return std::nullopt;
  before = name.substr(0, dot);
  return number;
}

void check_layers(const ClaimTable& table, std::vector<Finding>& findings) {
  std::set<ClaimShape> seen;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const ClaimRow& row = table.rows[r];
    if (row.is_tensors || row.inputs.size() != 1 || row.outputs.size() != 1) continue;
    const ClaimShape &in = row.inputs.front(), &out = row.outputs.front();
    Finding finding{.check = "shapes", .table = table.title, .row = row.name, .rows = {row.name}};
    if (keeps_shape(row.type) && in != out) {
      finding.evidence =
          fmt::format("a {} gives {} for {}", row.type, shape_text(out), shape_text(in));
      finding.meaning = "one of the two shapes is of another layer";
      findings.push_back(std::move(finding));
    } else if (r > 0 && table.rows[r - 1].outputs.size() == 1 &&
               table.rows[r - 1].outputs.front() != in && !seen.contains(in)) {
      std::string_view sequence, earlier;
      const auto place = place_in_sequence(row.name, sequence);
      const auto place_before = place_in_sequence(table.rows[r - 1].name, earlier);
      if (place && place_before && sequence == earlier && *place == *place_before + 1) {
        finding.evidence =
            fmt::format("it takes {}, and {} before it gives {}", shape_text(in),
                        table.rows[r - 1].name, shape_text(table.rows[r - 1].outputs.front()));
        finding.meaning = "a layer is missing between them, or a shape is of another layer";
        findings.push_back(std::move(finding));
      }
    }
    seen.insert(in);
    seen.insert(out);
  }
}

// Sizes of floats.
std::string bytes_text(const std::vector<ClaimShape>& shapes) {
  double bytes = 0;
  for (const ClaimShape& shape : shapes) bytes += 4 * elements_of(shape);
  return bytes < 1e15 ? grouped(std::llround(bytes)) : fmt::format("{:.6g}", bytes);
}

bool has_word(std::string_view name, std::string_view word) {
  const std::size_t at = name.find(word);
  if (at == name.npos) return false;
  const std::size_t end = at + word.size();
  return end == name.size() || name[end] == '(' || name[end] == '[' || name[end] == '_';
}

// Tensors that leave one part enter the next one.
void check_tensors(const ClaimTable& table, std::vector<Finding>& findings) {
  const ClaimRow* given = nullptr;
  std::vector<const ClaimRow*> earlier;
  for (const ClaimRow& row : table.rows) {
    if (!row.is_sum || row.outputs.size() < 2) continue;
    if (has_word(row.name, "_out")) {
      if (given != nullptr) earlier.push_back(given);
      given = &row;
    } else if (given != nullptr && has_word(row.name, "_in") &&
               given->outputs.size() == row.outputs.size() && given->outputs != row.outputs) {
      const auto at = static_cast<std::size_t>(
          std::mismatch(given->outputs.begin(), given->outputs.end(), row.outputs.begin()).first -
          given->outputs.begin());
      Finding finding{.check = "shapes",
                      .table = table.title,
                      .row = given->name,
                      .rows = {given->name, row.name}};
      finding.evidence = fmt::format(
          "its {} tensors have {} bytes, and {} takes {} with {}: tensor {} is {} and {}",
          given->outputs.size(), bytes_text(given->outputs), row.name, row.outputs.size(),
          bytes_text(row.outputs), at, shape_text(given->outputs[at]), shape_text(row.outputs[at]));
      finding.meaning = fmt::format("{} lists other tensors than it gives", given->name);
      for (const ClaimRow* other : earlier)
        if (other->outputs.size() < given->outputs.size() &&
            std::equal(other->outputs.begin(), other->outputs.end(), given->outputs.begin()))
          finding.meaning +=
              fmt::format(": its first {} are those of {}", other->outputs.size(), other->name);
      findings.push_back(std::move(finding));
    }
  }
}

}  // namespace

void check_shapes(const Claims& claims, std::vector<Finding>& findings) {
  for (const ClaimTable& table : claims.tables) {
    check_layers(table, findings);
    check_tensors(table, findings);
  }
}

}  // namespace strata::lint
