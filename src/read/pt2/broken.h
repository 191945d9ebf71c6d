// How the reader of .pt2 files gives up.
#pragma once

#include <string>

#include "strata/base/error.h"

namespace strata::pt2 {

// Thrown in this folder only: pt2::read turns it into an Error.
struct Broken {
  std::string message;
  Code code = Code::General;
};

}  // namespace strata::pt2
