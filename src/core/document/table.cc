#include "strata/document/table.h"

#include <utility>

namespace strata {

std::size_t row_count(const Table& table) {
  return table.source.make ? table.source.count : table.rows.size();
}

void for_each_row(const Table& table, const std::function<bool(const TableRow&)>& use) {
  TableRow made;
  for (std::size_t i = 0; i < row_count(table); ++i) {
    if (table.source.make) table.source.make(i, made);
    if (!use(table.source.make ? made : table.rows[i])) return;
  }
}

void hold_rows(Table& table) {
  if (!table.source.make) return;
  const RowSource source = std::exchange(table.source, {});
  table.rows.resize(source.count);
  for (std::size_t i = 0; i < source.count; ++i) source.make(i, table.rows[i]);
}

}  // namespace strata
