#include "cli/complain.h"

#include <cstdio>

#include <fmt/format.h>

#include "base/printable.h"
#include "base/standard_input.h"

namespace strata::cli {

void complain(std::string_view sentence) {
  fmt::print(stderr, "strata: {}\n", printable(with_standard_input_named(std::string(sentence))));
}

}  // namespace strata::cli
