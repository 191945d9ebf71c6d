#include "cli/outlet.h"

#include <utility>

namespace strata::cli {

namespace {
thread_local Outlet* current = nullptr;
}

Outlet* outlet() { return current; }

OutletScope::OutletScope(Outlet& to) : before_(std::exchange(current, &to)) {}

OutletScope::~OutletScope() { current = before_; }

}  // namespace strata::cli
