// Sentences about what the reader found or folded.
#pragma once

#include "read/tflite/loading.h"

namespace strata::tflite {

void add_notes(Loading& loading);

}  // namespace strata::tflite
