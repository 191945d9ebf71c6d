// The operators that have rules, as text and as a table.
#pragma once

#include <string>
#include <string_view>

namespace strata {

struct Document;

// True if operators have this domain: `aten`, `com.microsoft`.
bool is_operator_domain(std::string_view domain);

// These have the operators of one domain, or all of them.
// A row for each rule, with its first example. With `arguments`, PyTorch's operators have a second
// table of what they are called with.
Document operators_document(std::string_view domain = {}, bool arguments = false);
std::string operators_to_text(std::string_view domain = {});  // their names, by domain
// Writes docs/operators.md: the operators by family, each with an example.
std::string operators_to_markdown(std::string_view domain = {});
// One operator with its worked examples, in all domains that have it; empty if there is none.
std::string operator_to_text(std::string_view name);

}  // namespace strata
