#include "cli/outlet.h"

#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "base/printable.h"
#include "base/standard_input.h"

namespace strata::cli {

namespace {
thread_local Outlet* current = nullptr;
}

Outlet* outlet() { return current; }

OutletScope::OutletScope(Outlet& to) : before_(std::exchange(current, &to)) {}

OutletScope::~OutletScope() { current = before_; }

void complain(std::string_view sentence) {
  std::string named = with_standard_input_named(std::string(sentence));
  if (Outlet* to = outlet())
    to->complain(std::move(named));
  else
    fmt::print(stderr, "strata: {}\n", printable(named));
}

void say(std::string_view text) {
  if (Outlet* to = outlet())
    to->note(std::string(text));
  else
    fmt::print(stderr, "{}\n", text);
}

}  // namespace strata::cli
