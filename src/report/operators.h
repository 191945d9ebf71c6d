// The operators that have rules, as text and as a table.
#pragma once

#include <string>
#include <string_view>

namespace strata {

struct Document;

// A row for each rule, with its first example.
Document operators_document();
std::string operators_to_text();      // their names, by domain
std::string operators_to_markdown();  // by family, each with an example: docs/operators.md
// One operator with its worked examples, in all domains that have it; empty if there is none.
std::string operator_to_text(std::string_view name);

}  // namespace strata
