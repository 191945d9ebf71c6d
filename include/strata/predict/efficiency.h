// How much of a device's peaks kernels reach: constants that were fitted to measured networks.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/result.h"
#include "strata/device/device.h"
#include "strata/predict/kernels.h"

namespace strata {

// Times are likely (90 %) between `low` and `high` times the predicted one.
struct Spread {
  double low = 1, high = 1;
};

// Constants for products with stored weights that are cut into tiles: data/predict has them for
// engines, from products that were timed one by one.
struct ProductConstants {
  double compute = 1, memory = 1;  // shares of the peaks
  double launch_seconds = 0;
  double small = 0;  // how much slower small tiles are: a power of their share of the largest
  double depth = 0;  // of a tile, before it computes
  double waves = 0;  // what an incomplete wave of tiles costs, of a whole one
};

struct Efficiency {
  std::string name = {};       // of its file: `rtx-4090-eager`
  std::string fitted_on = {};  // a sentence
  std::string layers = {};     // whose times were measured one by one; empty: none
  Runtime runtime = Runtime::Eager;
  std::array<double, kKernelClasses> compute = {}, memory = {};  // shares of the peaks, 0 to 1
  std::array<double, kKernelClasses> launch_seconds = {};        // of each kernel
  std::optional<ProductConstants> products = {};
  // That matrix units take for 10¹² operations a second, on a chip of 16 nm; 0: power limits
  // nothing.
  double watts_per_tflops = 0;
  double backward = 1;  // how much longer kernels of a backward pass take
  Spread spread = {};
  // How well it fits what is asked for: false means that the devices it was fitted on are others.
  bool same_device = false, same_kind = false, same_runtime = false, same_precision = false;
  bool same_channels = false;  // their order
};

// The constants for a device: its own, else those of its kind, else of the nearest kind; the spread
// is wider for each step. All are compiled in (data/predict), except those of a device that was
// measured.
Result<Efficiency> find_efficiency(const Device& device, Runtime runtime,
                                   std::string_view precision,
                                   ChannelOrder channels = ChannelOrder::First);

}  // namespace strata
