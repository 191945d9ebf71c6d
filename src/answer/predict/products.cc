#include "predict/products.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace strata {

namespace {

struct Tile {
  double rows, columns;
};
// bench/predict/gemm.py was fitted with the same ones.
constexpr std::array<Tile, 11> kTiles = {{{256, 128},
                                          {128, 256},
                                          {128, 128},
                                          {128, 64},
                                          {64, 128},
                                          {64, 64},
                                          {64, 256},
                                          {256, 64},
                                          {32, 128},
                                          {16, 128},
                                          {128, 32}}};
constexpr std::array<double, 3> kParts = {1, 2, 4};
constexpr double kLargest = 256 * 128;

}  // namespace

ProductShape product_shape(const FusedKernel& kernel) {
  const double outputs = std::max(1.0, kernel.outputs);
  const double depth = std::max(1.0, kernel.macs / outputs);
  const double bytes = std::max(1.0, kernel.element_bytes);
  const double most = std::max(1.0, kernel.weight_bytes / (bytes * depth));
  for (const double columns : {std::round(most), std::round(most * depth / (depth + 1))})
    if (columns >= 1 && std::fmod(outputs, columns) == 0)
      return {outputs / columns, columns, depth};
  return {std::max(1.0, outputs / most), most, depth};
}

Tiling best_tiling(const ProductShape& shape, const ProductConstants& constants, double peak,
                   double cores) {
  Tiling best;
  for (const Tile& tile : kTiles) {
    const double area = tile.rows * tile.columns;
    const double share = constants.compute * std::pow(area / kLargest, constants.small);
    const double each = std::ceil(shape.rows / tile.rows) * std::ceil(shape.columns / tile.columns);
    for (const double parts : kParts) {
      const double full = parts * each / cores, busy = std::max(1.0, full);
      const double waves = busy + constants.waves * (std::ceil(full) - busy);
      const double operations = waves * cores * 2 * area * (shape.depth / parts + constants.depth);
      const double seconds = operations / (peak * share);
      if (best.rows == 0 || seconds < best.seconds)
        best = {tile.rows, tile.columns, parts, waves, operations, share, seconds};
    }
  }
  return best;
}

double overlapped(double compute, double memory) {
  const double longer = std::max(compute, memory), shorter = std::min(compute, memory);
  return longer > 0 ? longer * std::pow(1 + std::pow(shorter / longer, 4), 0.25) : 0;
}

}  // namespace strata
