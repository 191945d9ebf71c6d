// Shapes as tables print them: `(1, 3, 224, 224)`, `64 512 512`, `4x1024x1024`, `1×3×8×8`,
// `torch.Size([1, 3, 8, 8])`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "strata/lint/claims.h"

namespace strata::lint {

// nullopt for any other text, also for sizes that are formulas.
std::optional<ClaimShape> parse_shape(std::string_view text);
// Several, with `, ` between them, each without commas: `1×64×8×8, 1×64×8×8`.
std::vector<ClaimShape> parse_shapes(std::string_view text);
std::string shape_text(const ClaimShape& shape);
double elements_of(const ClaimShape& shape);

}  // namespace strata::lint
