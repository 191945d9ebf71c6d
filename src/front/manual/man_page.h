// Manual pages, in the macros that `man` reads (man(7)).
#pragma once

#include <string>

#include "manual/facts.h"

namespace strata::manual {

// `strata-zoo-table`: of the page, without the section.
std::string man_page_name(const CommandFacts& command);
// `release` is the name and version of the program.
std::string man_page(const CommandFacts& command, const CommandFacts& program,
                     const std::string& release);

}  // namespace strata::manual
