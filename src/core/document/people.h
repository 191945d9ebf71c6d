// Shared by renderers for people: the part of a table that is shown, and its order.
#pragma once

#include <string>
#include <vector>

#include "strata/document/document.h"

namespace strata {

const std::vector<Column>& columns_for_people(const Table& table);
const std::vector<Cell>& cells_for_people(const Table& table, const TableRow& row);
// Totals stand in columns that add up; columns made for people alone have none of their own.
bool has_totals(const Table& table);
// `46 of 66 rows are not shown`, and a line break; a line of its own for those that the filter left
// out. Empty if all are shown.
std::string left_out_text(const Table& table, const Phrase& phrase);
// Columns of three or more rows in which all cells read the same: they stand above the table
// instead. None that adds up, is a share or was asked for; one entry for each column for people.
std::vector<bool> constant_columns(const Table& table, const TableStyle& style);
// `In every row: Precision fp32; Threads 1`, and a line break; empty if there are none.
std::string constants_line(const Table& table, const std::vector<bool>& constant,
                           const TableStyle& style);
// The lines of a section, or those below a table, without or with its asides.
std::string lines_of(const Section& section, const TableStyle& style, bool with_asides);
std::string foot_of(const Table& table, const TableStyle& style, bool with_asides);
// Those of the document, or all tables and the notes.
std::vector<Section> sections_of(const Document& document);

}  // namespace strata
