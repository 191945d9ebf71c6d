// The tensors of a pickle: which there are, what they are called, and which share their elements.
#pragma once

#include <functional>
#include <string_view>

#include "read/weights/pickle.h"
#include "strata/read/weights.h"

namespace strata::weights {

// Bytes that the file holds of a storage; an error if it has none.
using StorageSize = std::function<Result<std::uint64_t>(const PickledStorage& storage)>;

// Fills in the tensors and the notes. Every tensor lies within its storage.
Result<Weights> pickled_weights(const Pickle& pickle, const StorageSize& size_of);

}  // namespace strata::weights
