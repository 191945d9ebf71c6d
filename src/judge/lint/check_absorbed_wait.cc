// In a table whose timers do not wait, some row does: the first that needs a result.
#include <fmt/format.h>

#include "lint/checks.h"
#include "strata/base/number_text.h"

namespace strata::lint {

namespace {

constexpr double kMuch = 0.3;      // of the time
constexpr double kTimesMore = 10;  // than its share where timers do wait

double sum_of_roots(const ClaimTable& table) {
  double sum = 0;
  for (const ClaimRow& row : table.rows)
    if (!row.parent) sum += seconds_of(table, row).value_or(0);
  return sum;
}

// Its share in another table of the same file; nullopt: there is none with times that follow the
// work.
struct Elsewhere {
  std::string table;
  double share = 0;
};
std::optional<Elsewhere> elsewhere(const Claims& claims, const ClaimTable& own,
                                   const std::string& name) {
  for (const ClaimTable& table : claims.tables) {
    if (&table == &own || !flat_rows(table).empty()) continue;
    for (const ClaimRow& row : table.rows)
      if (const auto seconds = seconds_of(table, row); row.name == name && seconds)
        return Elsewhere{table.title, *seconds / sum_of_roots(table)};
  }
  return std::nullopt;
}

}  // namespace

void check_absorbed_wait(const Claims& claims, std::vector<Finding>& findings) {
  for (const ClaimTable& table : claims.tables) {
    if (flat_rows(table).empty()) continue;
    const double sum = sum_of_roots(table);
    double all_work = 0;
    for (const ClaimRow& row : table.rows)
      if (const auto work = work_of(table, row)) all_work += work->amount;
    for (const ClaimRow& row : table.rows) {
      const auto seconds = seconds_of(table, row);
      if (row.parent || !seconds || *seconds < kMuch * sum) continue;
      const double share = *seconds / sum;
      const auto other = elsewhere(claims, table, row.name);
      const auto work = work_of(table, row);
      std::string against;
      if (other && other->share * kTimesMore < share)
        against = fmt::format(", and {:.1f} % of it in \"{}\"", 100 * other->share, other->table);
      else if (work && work->amount * kTimesMore < share * all_work)
        against = fmt::format(", and has {:.1f} % of the work", 100 * work->amount / all_work);
      else
        continue;
      findings.push_back({.check = "absorbed_wait",
                          .table = table.title,
                          .row = row.name,
                          .rows = {row.name},
                          .evidence = fmt::format("it takes {}, {:.0f} % of the time{}",
                                                  human_seconds(*seconds), 100 * share, against),
                          .meaning = "it is the first to wait for the device, and is charged with "
                                     "the work of the rows before it"});
    }
  }
}

}  // namespace strata::lint
