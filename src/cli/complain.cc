#include "cli/complain.h"

#include <cstdio>

#include <fmt/format.h>

#include "base/printable.h"

namespace strata::cli {

void complain(std::string_view sentence) {
  fmt::print(stderr, "strata: {}\n", printable(sentence));
}

}  // namespace strata::cli
