// Finds ONNX Runtime on this machine and opens it.
#pragma once

#include <string>

#include "api.h"

namespace strata::ort {

struct Library {
  std::string path;     // of the file that was opened
  std::string release;  // `1.27.0`
};

// Opened at the first call, and never closed. Throws Failure with every place that was tried: what
// STRATA_ONNXRUNTIME names (a file or a folder; if it is set, nothing else is tried), beside the
// plugin, where it was when strata was built, and where the system looks.
const Library& library();

// One for the whole process: ONNX Runtime allows no more.
Ort::Env& environment();

}  // namespace strata::ort
