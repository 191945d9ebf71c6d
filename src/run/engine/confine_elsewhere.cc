// Systems without Landlock and seccomp, that is, all but Linux: nothing confines a process there,
// so a command that would run a model says so and stops, unless its user trusts the model.
#include "engine/confine.h"

namespace strata {

Status can_confine() {
  return failure(Code::CannotConfine, {.detail = "only Linux has Landlock and seccomp"});
}

Status confine(const std::string&) { return can_confine(); }

}  // namespace strata
