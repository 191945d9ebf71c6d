#include "lint/nesting.h"

#include <string>

#include "strata/base/text_map.h"

namespace strata::lint {

void nest_by_names(ClaimTable& table, std::string_view separators) {
  TextMap<std::string_view, std::size_t> by_name;
  for (std::size_t r = 0; r < table.rows.size(); ++r) by_name.emplace(table.rows[r].name, r);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const std::string_view name = table.rows[r].name;
    for (std::size_t at = name.find_last_of(separators); at != name.npos && at > 0;
         at = name.find_last_of(separators, at - 1)) {
      const auto found = by_name.find(name.substr(0, at));
      if (found == by_name.end()) continue;
      table.rows[r].parent = found->second;
      break;
    }
  }
}

}  // namespace strata::lint
