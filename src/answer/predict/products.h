// Products with stored weights, cut into tiles that a GPU's cores compute.
#pragma once

#include "strata/predict/efficiency.h"
#include "strata/predict/kernels.h"

namespace strata {

// [rows, depth] × [depth, columns]
struct ProductShape {
  double rows = 1, columns = 1, depth = 1;
};

// The shape that a kernel's MACs, outputs and weights tell. Its weights may have a bias beside
// them.
ProductShape product_shape(const FusedKernel& kernel);

struct Tiling {
  double rows = 0, columns = 0;  // of a tile
  double parts = 1;              // of the depth, each in tiles of its own
  double waves = 0;              // of tiles, on all cores
  double operations = 0;         // with those of tiles that are not full
  double share = 1;              // of the peak
  double seconds = 0;
};

// The fastest of the tiles that libraries choose from.
Tiling best_tiling(const ProductShape& shape, const ProductConstants& constants, double peak,
                   double cores);

// The time of arithmetic and transfers that overlap, except where both take about as long.
double overlapped(double compute, double memory);

}  // namespace strata
