// Predicts the time of a network on another device: a roofline for each kernel.
//
//   t = max(2 · MACs / (peak · e_compute), bytes / (bandwidth · e_memory)) + launch
//
// Engines on GPUs cut products with weights into tiles, and idle cores count (data/predict).
//
// Efficiencies are constants that were fitted to measured networks (docs/predict.md).
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strata/device/device.h"
#include "strata/predict/efficiency.h"
#include "strata/predict/kernels.h"

namespace strata {

enum class Bound : std::uint8_t { Unknown, Compute, Memory, Launch };
std::string_view name_of(Bound bound);  // `compute`

struct KernelTime {
  double compute = 0, memory = 0, launch = 0;  // seconds of one run of the network
  double seconds = 0;
  Bound bound = Bound::Unknown;
};

struct DeviceTime {
  double seconds = 0, low = 0, high = 0;  // with the interval that holds 90 % of networks
  double compute_share = 0;               // of the time, in kernels that arithmetic bounds
  std::vector<KernelTime> kernels = {};   // as many as were given
  std::size_t unknown = 0;                // kernels without a time
};

// The peak that a kernel's arithmetic is held against, and the precision it is for.
struct UsedPeak {
  std::string precision;
  double per_second = 0;
};

// A device with the constants for a runtime and a precision.
class Predictor {
 public:
  // `fp32`, `tf32`, `fp16`, `bf16`, `fp8`, `int8`; empty: fp16 where the device has a peak for it
  // and runs networks on a GPU, else fp32.
  static Result<Predictor> make(const Device& device, Runtime runtime, std::string precision,
                                ChannelOrder channels = ChannelOrder::First);

  const Device& device() const { return device_; }
  const std::string& precision() const { return precision_; }
  const Efficiency& efficiency() const { return efficiency_; }
  const std::vector<std::string>& notes() const { return notes_; }

  KernelTime time(const FusedKernel& kernel) const;
  // With `each` also the time of each kernel.
  DeviceTime time(std::span<const FusedKernel> kernels, bool each = true) const;
  // Convolutions have constants of another precision where only operators of transformers were
  // measured; the interval is wider then.
  bool borrows_for(std::span<const FusedKernel> kernels) const;
  // `max(2·118 M / (165.2 T · 0.84), …) + 5 µs = 12 µs`
  std::string formula(const FusedKernel& kernel) const;
  UsedPeak peak(KernelClass kind) const;
  double bytes_of(const FusedKernel& kernel) const;      // that it moves in this precision
  double cached_bytes(const FusedKernel& kernel) const;  // of activations, in a GPU's last cache
  double utilisation(const FusedKernel& kernel) const;
  double longer(const FusedKernel& kernel) const;  // how much: in a backward pass
  // Bytes of an element in this precision, over those of the file's.
  double scale(const FusedKernel& kernel) const;

 private:
  bool has_tiles(const FusedKernel& kernel) const;  // products whose constants were fitted so
  KernelTime product_time(const FusedKernel& kernel) const;
  KernelTime roofline_time(const FusedKernel& kernel) const;
  std::string product_formula(const FusedKernel& kernel) const;

  Device device_;
  std::string precision_;
  Efficiency efficiency_;
  double element_bytes_ = 4;
  double units_ = 1, cache_ = 0;  // of a GPU
  double power_share_ = 1;        // of the peak of its matrix units, that its power allows
  // For each class: peak operations per second; seconds per operation and per byte at the share of
  // the peak that its kernels reach.
  std::array<double, kKernelClasses> peaks_ = {}, operation_ = {}, byte_ = {};
  std::array<bool, kKernelClasses> idles_ =
      {};  // work of this class may be too small for all units
  std::vector<std::string> notes_;
};

// Kernels of the same network at another batch: their costs are affine in it. nullopt: the two
// lists do not match.
std::optional<std::vector<FusedKernel>> at_batch(std::span<const FusedKernel> one, double one_batch,
                                                 std::span<const FusedKernel> two, double two_batch,
                                                 double batch);

}  // namespace strata
