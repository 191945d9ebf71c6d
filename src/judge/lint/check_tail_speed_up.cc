// The largest speedup of a table is what gets quoted. It is a speedup of medians.
#include <map>

#include <fmt/format.h>

#include "lint/checks.h"

namespace strata::lint {

namespace {

constexpr double kLess = 0.9;            // of the speedup
constexpr std::size_t kMaxRows = 10000;  // every two rows are compared
constexpr std::size_t kMaxGroup = 100;

struct SpeedUp {
  std::size_t slow = 0, fast = 0;
  double median = 1;
};

// Rows that differ in one label, but not in the first, which names what is measured.
std::vector<std::vector<std::size_t>> comparable_rows(const ClaimTable& table) {
  std::vector<std::vector<std::size_t>> out;
  const std::size_t labels = table.rows.empty() ? 0 : table.rows.front().labels.size();
  for (std::size_t varied = 1; varied < labels; ++varied) {
    std::map<std::vector<std::string>, std::vector<std::size_t>> groups;
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      std::vector<std::string> key = table.rows[r].labels;
      if (key.size() != labels) continue;
      key.erase(key.begin() + static_cast<std::ptrdiff_t>(varied));
      groups[std::move(key)].push_back(r);
    }
    for (auto& [key, rows] : groups)
      if (rows.size() >= 2 && rows.size() <= kMaxGroup) out.push_back(std::move(rows));
  }
  return out;
}

}  // namespace

void check_tail_speed_up(const Claims& claims, std::vector<Finding>& findings) {
  for (const ClaimTable& table : claims.tables) {
    const auto median = table.find(Meaning::Seconds, Statistic::Median);
    const auto tail = table.find(Meaning::Seconds, Statistic::Percentile);
    if (!median || !tail || table.rows.size() > kMaxRows) continue;
    SpeedUp best;
    for (const auto& rows : comparable_rows(table))
      for (std::size_t slow : rows)
        for (std::size_t fast : rows) {
          const auto a = table.at(table.rows[slow], median), b = table.at(table.rows[fast], median);
          if (!a || !b || b->value <= 0 || a->value / b->value <= best.median) continue;
          best = {slow, fast, a->value / b->value};
        }
    if (best.slow == best.fast) continue;
    const ClaimRow &slow = table.rows[best.slow], &fast = table.rows[best.fast];
    const auto slow_tail = table.at(slow, tail), fast_tail = table.at(fast, tail);
    if (!slow_tail || !fast_tail || fast_tail->value <= 0) continue;
    const double at_tail = slow_tail->value / fast_tail->value;
    if (at_tail >= kLess * best.median) continue;
    findings.push_back(
        {.check = "tail_speed_up",
         .table = table.title,
         .row = fast.name,
         .rows = {slow.name, fast.name},
         .evidence = fmt::format("the largest speedup, over {}, is {:.2f} by \"{}\" and {:.2f} by "
                                 "\"{}\"",
                                 slow.name, best.median, table.columns[*median].title, at_tail,
                                 table.columns[*tail].title),
         .meaning = "the slowest runs gain less; quote both"});
  }
}

}  // namespace strata::lint
