#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "lint/checks.h"
#include "lint/shape.h"
#include "strata/base/number_text.h"
#include "strata/base/statistics.h"

namespace strata::lint {

namespace {

// The minimum number of rows, since fewer may be alike by chance.
constexpr std::size_t kLeastRows = 4;
// Times within kSameTime count as equal; work must differ by a factor of kOtherWork.
constexpr double kSameTime = 1.5;
constexpr double kOtherWork = 30;

// `layer_#` for `layer_12`.
std::string without_numbers(const std::string& name) {
  std::string out;
  for (char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit)
      out += c;
    else if (!out.ends_with('#'))
      out += '#';
  }
  return out;
}

// Layers that compute with every element; a view or a lookup takes the same time for any size.
// Without types, any layer may be one.
bool takes_all_elements(std::string type) {
  if (type.empty()) return true;
  for (char& c : type)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  for (std::string_view word : {"conv", "gemm", "matmul", "linear"})
    if (type.find(word) != type.npos) return true;
  return false;
}

}  // namespace

std::optional<double> seconds_of(const ClaimTable& table, const ClaimRow& row) {
  if (!row.samples.empty()) return median_of(row.samples);
  const auto number = table.at(row, table.find_typical(Meaning::Seconds));
  if (!number || number->value <= 0) return std::nullopt;
  return number->value;
}

std::optional<Work> work_of(const ClaimTable& table, const ClaimRow& row) {
  if (const auto flops = table.at(row, table.find_typical(Meaning::Flops)))
    return Work{flops->value, true};
  if (const auto macs = table.at(row, table.find_typical(Meaning::Macs)))
    return Work{2 * macs->value, true};
  if (!takes_all_elements(row.type)) return std::nullopt;
  double elements = 0;
  for (const ClaimShape& shape : row.inputs) elements += elements_of(shape);
  for (const ClaimShape& shape : row.outputs) elements += elements_of(shape);
  if (row.inputs.empty() || elements <= 0) return std::nullopt;
  return Work{elements, false};
}

std::string with_unit(double number, std::string_view unit) {
  std::string out = human(number);
  if (out.back() >= '0' && out.back() <= '9') out += ' ';
  out += unit;
  return out;
}

std::string work_text(const Work& work) {
  return work.is_flops ? with_unit(work.amount, "FLOP") : human(work.amount) + " elements";
}

std::vector<std::vector<std::size_t>> alike_rows(const ClaimTable& table) {
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const ClaimRow& row = table.rows[r];
    groups[row.type.empty() ? without_numbers(row.name) : row.type].push_back(r);
  }
  std::vector<std::vector<std::size_t>> out;
  for (auto& [name, rows] : groups)
    if (rows.size() >= kLeastRows) out.push_back(std::move(rows));
  return out;
}

std::vector<std::vector<std::size_t>> flat_rows(const ClaimTable& table) {
  struct Timed {
    std::size_t row;
    Work work;
  };
  std::vector<std::vector<std::size_t>> out;
  // A function that starts work on a device takes the same time for any of it, and a trace says so.
  if (table.own_work) return out;
  for (const auto& group : alike_rows(table)) {
    std::vector<Timed> timed;
    double least = 0, most = 0;
    bool flops = true;
    for (std::size_t r : group) {
      const auto seconds = seconds_of(table, table.rows[r]);
      const auto work = work_of(table, table.rows[r]);
      if (!seconds || !work || work->amount <= 0) continue;
      least = timed.empty() ? *seconds : std::min(least, *seconds);
      most = std::max(most, *seconds);
      flops = flops && work->is_flops;
      timed.push_back({r, *work});
    }
    if (timed.size() < kLeastRows || most > kSameTime * least) continue;
    if (!flops)  // what is known of some rows only cannot be compared
      std::erase_if(timed, [](const Timed& one) { return one.work.is_flops; });
    std::stable_sort(timed.begin(), timed.end(),
                     [](const Timed& a, const Timed& b) { return a.work.amount < b.work.amount; });
    if (timed.size() < kLeastRows ||
        timed.back().work.amount < kOtherWork * timed.front().work.amount)
      continue;
    std::vector<std::size_t>& rows = out.emplace_back();
    for (const Timed& one : timed) rows.push_back(one.row);
  }
  return out;
}

}  // namespace strata::lint
