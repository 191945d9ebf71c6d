#include "base/outside.h"

#include <atomic>

namespace strata {

namespace {
std::atomic<Outside*> g_outside = nullptr;
}

Outside* outside() { return g_outside; }

void set_outside(Outside* now) { g_outside = now; }

}  // namespace strata
