// Shapes as a profile has them, as text, and as a document has them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "strata/document/cell.h"

namespace strata {

// `1×3×224×224`; `?` if the number of axes is not known. nullopt for any other text. `symbols` are
// names that may hold more than letters, digits and the like.
std::optional<Shape> shape_from_text(std::string_view text, std::span<const std::string> symbols);
// Several with `, ` between them; none for an empty text.
std::optional<Cells> shapes_from_text(std::string_view text, std::span<const std::string> symbols);

}  // namespace strata
