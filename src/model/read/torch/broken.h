// The way in which readers of PyTorch's files give up.
#pragma once

#include <string>

#include "strata/base/error.h"

namespace strata::torch {

// Thrown by readers only: the one that was asked to read turns it into an Error.
struct Broken {
  std::string message;
  Code code = Code::General;
};

}  // namespace strata::torch
