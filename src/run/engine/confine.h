// Takes away from this process what running a model does not need. A model file is not trusted, and
// an engine does what the file says: TorchScript can save files, a compiled package is machine
// code.
#pragma once

#include <string>

#include "strata/base/result.h"

namespace strata {

// Fails with Code::CannotConfine if the kernel or the machine lacks what confine() needs.
Status can_confine();

// From now on this process can write only below `folder` and to descriptors that are open already.
// It can open no socket, start no process or program, change no attribute of a file, and signal or
// inspect no other process. It can still read every file that its user can read. There is no way
// back. Call it before there are other threads: only those that are started later are confined.
Status confine(const std::string& folder);

}  // namespace strata
