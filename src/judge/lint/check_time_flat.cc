#include <algorithm>

#include <fmt/format.h>

#include "lint/checks.h"
#include "strata/base/number_text.h"

namespace strata::lint {

void check_time_flat(const Claims& claims, std::vector<Finding>& findings) {
  for (const ClaimTable& table : claims.tables)
    for (const auto& rows : flat_rows(table)) {
      const ClaimRow &least = table.rows[rows.front()], &most = table.rows[rows.back()];
      const Work little = *work_of(table, least), much = *work_of(table, most);
      double shortest = *seconds_of(table, least), longest = shortest;
      Finding finding{.check = "time_flat", .table = table.title, .row = most.name};
      for (std::size_t r : rows) {
        const double seconds = *seconds_of(table, table.rows[r]);
        shortest = std::min(shortest, seconds);
        longest = std::max(longest, seconds);
        finding.rows.push_back(table.rows[r].name);
      }
      finding.evidence =
          fmt::format("{} layers from {} to {}, {:.0f} times as much, all take {} to {}",
                      rows.size(), work_text(little), work_text(much), much.amount / little.amount,
                      human_seconds(shortest), human_seconds(longest));
      if (much.is_flops)
        finding.evidence +=
            fmt::format("; {} would compute {}", most.name,
                        with_unit(much.amount / *seconds_of(table, most), "FLOP/s"));
      finding.meaning =
          "the timer was stopped without waiting for the device: these are times to start the work";
      findings.push_back(std::move(finding));
    }
}

}  // namespace strata::lint
