// The networks of the zoo, and a table of them, as text.
#pragma once

#include <string>

#include "strata/document/document.h"
#include "strata/zoo/zoo.h"

namespace strata {

// A row for each network.
Document networks_document();
std::string network_to_text(const zoo::Entry& entry);  // with its parameters

// Numbers as the published table has them: `3.5M`, `327.14M`, energy in picojoules. People see
// these digits; programs get numbers.
void to_published_form(Table& table);

}  // namespace strata
