// The .bin file beside a .param file: each tensor is floats, or begins with four bytes that say how
// it is stored.
#pragma once

#include <string>

#include "read/ncnn/loading.h"

namespace strata::ncnn {

// Gives stored tensors the types that they have in the .bin file, if it is there. Says so if its
// size is not that of the network's weights.
void read_stored(Loading& loading, const std::string& path);

}  // namespace strata::ncnn
