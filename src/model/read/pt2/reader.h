// Reads .pt2 files: programs that torch.export saved. All that costs depend on is JSON; weights and
// pickles stay untouched.
#pragma once

#include <string>
#include <string_view>

#include "strata/base/result.h"
#include "strata/graph/graph.h"
#include "strata/read/read.h"

namespace strata::pt2 {

// True for a zip archive with the parts of a .pt2 file, perhaps cut off or damaged.
bool looks_like_archive(std::string_view bytes);

// The bytes must outlive the model, or be kept alive by model.backing.
Result<Model> read(std::string_view bytes, std::string_view label, const ReadOptions& options);

}  // namespace strata::pt2
