#include "ops/interpolate.h"

namespace strata {

Interpolation interpolation_of(const NodeView& c, std::string_view otherwise) {
  const std::string_view mode = c.text("mode", otherwise);
  if (mode.ends_with("cubic")) return Interpolation::Cubic;
  return mode.ends_with("linear") ? Interpolation::Linear : Interpolation::Nearest;
}

void interpolate(CostContext& c, Interpolation kind, std::size_t axes) {
  if (kind == Interpolation::Nearest || axes == 0) return;
  Expr neighbours = 1;
  for (std::size_t i = 0; i < axes; ++i) neighbours *= kind == Interpolation::Linear ? 2 : 4;
  c.muls({{"outputs", c.out_elements(0)}, {"neighbours", neighbours}});
  c.adds({{"outputs", c.out_elements(0)}, {"neighbours less 1", neighbours - 1}});
}

}  // namespace strata
