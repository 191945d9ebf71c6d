// Small tables for the tests of checks.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "strata/lint/lint.h"

namespace strata::lint {

inline ClaimNumber exactly(double value) { return {value, 0}; }

struct TestRow {
  std::string name;
  std::vector<double> numbers;  // negative: unknown
};

inline ClaimTable test_table(std::vector<ClaimColumn> columns, const std::vector<TestRow>& rows) {
  ClaimTable table;
  table.columns = std::move(columns);
  for (const TestRow& given : rows) {
    ClaimRow row{.name = given.name, .labels = {given.name}};
    for (double number : given.numbers)
      row.numbers.push_back(number < 0 ? std::nullopt : std::optional(exactly(number)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

inline Claims test_claims(ClaimTable table) {
  Claims claims;
  claims.tables.push_back(std::move(table));
  return claims;
}

inline const ClaimColumn kSeconds{.title = "Time", .meaning = Meaning::Seconds, .adds_up = true};
inline const ClaimColumn kFlops{.title = "FLOPs", .meaning = Meaning::Flops, .adds_up = true};
inline const ClaimColumn kMacs{.title = "MACs", .meaning = Meaning::Macs, .adds_up = true};

inline std::vector<Finding> found_by(void (*check)(const Claims&, std::vector<Finding>&),
                                     const Claims& claims) {
  std::vector<Finding> findings;
  check(claims, findings);
  return findings;
}

}  // namespace strata::lint
