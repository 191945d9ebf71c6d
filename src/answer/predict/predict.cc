#include "strata/predict/predict.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "predict/products.h"
#include "strata/base/number_text.h"

namespace strata {

namespace {

constexpr std::array<std::string_view, 4> kBounds = {"unknown", "compute", "memory", "launch"};

// Outputs that one core of a GPU computes at a time. Assumed, not fitted: the measured networks ran
// with large batches.
constexpr double kTile = 64 * 64;

// Saved of the time of a byte of activations that the last cache of a GPU holds. Chosen among three
// values, for the transfer between two measured GPUs (docs/predict.md).
constexpr double kCached = 0.75;

// How much wider the interval is with convolutions whose constants are of another precision.
// Assumed.
constexpr double kBorrowed = 1.15;

bool is_convolution(KernelClass kind) { return kind <= KernelClass::DepthwiseLarge; }

struct PrecisionRow {
  std::string_view name;
  double bytes;
  std::array<std::string_view, 4> peaks;  // the first that the device states
};
constexpr PrecisionRow kPrecisions[] = {
    {"fp32", 4, {"fp32-matrix", "fp32"}},        {"tf32", 4, {"tf32", "fp32-matrix", "fp32"}},
    {"fp16", 2, {"fp16", "bf16", "fp32"}},       {"bf16", 2, {"bf16", "fp16", "fp32"}},
    {"fp8", 1, {"fp8", "fp16", "bf16", "fp32"}}, {"int8", 1, {"int8", "fp16", "bf16", "fp32"}},
};

const PrecisionRow* precision_row(std::string_view name) {
  for (const PrecisionRow& row : kPrecisions)
    if (row.name == name) return &row;
  return nullptr;
}

bool has_many_units(const Device& device) {
  return device.units && (device.kind == "gpu" || device.kind == "edge" || device.kind == "laptop");
}

UsedPeak first_peak(const Device& device, std::span<const std::string_view> names) {
  for (const std::string_view name : names)
    if (const Figure* peak = name.empty() ? nullptr : device.peak(name))
      return {std::string(name), peak->value};
  return {};
}

// The energy of an operation shrinks with the process; 1 if the device does not state both.
double power_share_of(const Device& device, double watts_per_tflops, double peak) {
  constexpr double kProcess = 16;  // for which the watts are stated
  if (watts_per_tflops == 0 || !device.power || !device.process_nm) return 1;
  const double needed = watts_per_tflops * peak * 1e-12 * device.process_nm->value / kProcess;
  return std::min(1.0, device.power->value / needed);
}

UsedPeak any_peak(const Device& device) {
  if (device.peaks.empty()) return {};
  return {device.peaks.front().precision, device.peaks.front().per_second.value};
}

}  // namespace

std::string_view name_of(Bound bound) { return kBounds[static_cast<std::size_t>(bound)]; }

Result<Predictor> Predictor::make(const Device& device, Runtime runtime, std::string precision,
                                  ChannelOrder channels) {
  const bool is_gpu = device.kind == "gpu" || device.kind == "edge" || device.kind == "accelerator";
  if (precision.empty()) {
    precision = is_gpu && (device.peak("fp16") != nullptr || device.peak("bf16") != nullptr)
                    ? "fp16"
                : device.peak("fp32") != nullptr ? "fp32"
                                                 : "int8";
  }
  const PrecisionRow* row = precision_row(precision);
  if (row == nullptr)
    return failure(
        fmt::format("\"{}\" is not a precision: write fp32, tf32, fp16, bf16, fp8 or int8",
                    precision),
        ErrorKind::Usage);
  Predictor out;
  out.device_ = device;
  out.precision_ = precision;
  auto efficiency = find_efficiency(device, runtime, precision, channels);
  if (!efficiency) return failure(efficiency);
  out.efficiency_ = std::move(*efficiency);
  if (first_peak(device, row->peaks).per_second == 0)
    return failure(fmt::format("{} states no peak for {}", device.name, precision),
                   ErrorKind::Usage);
  out.element_bytes_ = row->bytes;
  if (has_many_units(device)) {
    out.units_ = device.units->value;
    out.cache_ = device.l2_bytes ? device.l2_bytes->value : 0;
  }
  const UsedPeak used = out.peak(KernelClass::Gemm);
  out.power_share_ = power_share_of(device, out.efficiency_.watts_per_tflops, used.per_second);
  for (std::size_t i = 0; i < kKernelClasses; ++i) {
    const double power = uses_matrix_units(static_cast<KernelClass>(i)) ? out.power_share_ : 1;
    out.peaks_[i] = out.peak(static_cast<KernelClass>(i)).per_second;
    out.idles_[i] = out.units_ > 1 && uses_matrix_units(static_cast<KernelClass>(i));
    out.operation_[i] = 1 / (out.peaks_[i] * power * out.efficiency_.compute[i]);
    if (device.bandwidth) out.byte_[i] = 1 / (device.bandwidth->value * out.efficiency_.memory[i]);
  }
  if (out.power_share_ < 1)
    out.notes_.push_back(
        fmt::format("{} W let the matrix units of {} run at {:.0f} % of their peak in {}",
                    device.power->value, device.name, 100 * out.power_share_, precision));
  if (used.precision != precision && used.precision != precision + "-matrix")
    out.notes_.push_back(fmt::format("{} states no peak for {}; that of {} is taken", device.name,
                                     precision, used.precision));
  if (!device.bandwidth)
    out.notes_.push_back(fmt::format(
        "{} states no memory bandwidth: only arithmetic bounds its layers", device.name));
  return out;
}

UsedPeak Predictor::peak(KernelClass kind) const {
  const PrecisionRow* row = precision_row(precision_);
  const bool is_integer = precision_ == "int8";
  if (uses_matrix_units(kind) || is_integer) return first_peak(device_, row->peaks);
  constexpr std::array<std::string_view, 3> kVector = {"fp32", "fp16", "bf16"};
  const UsedPeak vector = first_peak(device_, kVector);
  return vector.per_second > 0 ? vector : any_peak(device_);
}

double Predictor::scale(const FusedKernel& kernel) const {
  // Training in mixed precision keeps weights and the optimizer's state as they are.
  if (kernel.element_bytes == 0 || kernel.phase == Phase::Optimizer) return 1;
  return element_bytes_ / kernel.element_bytes;
}

double Predictor::bytes_of(const FusedKernel& kernel) const {
  return (kernel.read_bytes + kernel.write_bytes) * scale(kernel);
}

double Predictor::cached_bytes(const FusedKernel& kernel) const {
  const double activations = bytes_of(kernel) - kernel.weight_bytes * scale(kernel);
  return std::clamp(activations, 0.0, cache_);
}

double Predictor::longer(const FusedKernel& kernel) const {
  return kernel.phase == Phase::Backward ? efficiency_.backward : 1;
}

double Predictor::utilisation(const FusedKernel& kernel) const {
  // Gradients of weights are sums over the batch, which libraries split over all cores.
  if (!idles_[static_cast<std::size_t>(kernel.kind)] || kernel.phase == Phase::Backward) return 1;
  return std::clamp(kernel.outputs / (kTile * units_), 1 / units_, 1.0);
}

bool Predictor::has_tiles(const FusedKernel& kernel) const {
  return kernel.kind == KernelClass::Gemm && efficiency_.products && units_ > 1 &&
         kernel.weight_bytes > 0 && kernel.macs > 0;
}

KernelTime Predictor::product_time(const FusedKernel& kernel) const {
  const ProductConstants& constants = *efficiency_.products;
  KernelTime out;
  const double peak = peaks_[static_cast<std::size_t>(kernel.kind)];
  out.compute = kernel.times * best_tiling(product_shape(kernel), constants, peak, units_).seconds;
  if (device_.bandwidth)
    out.memory = kernel.times * bytes_of(kernel) / (device_.bandwidth->value * constants.memory);
  out.launch = kernel.times * constants.launch_seconds;
  const double work = overlapped(out.compute, out.memory);
  out.seconds = work + out.launch;
  out.bound = out.launch > work           ? Bound::Launch
              : out.compute >= out.memory ? Bound::Compute
                                          : Bound::Memory;
  return out;
}

KernelTime Predictor::roofline_time(const FusedKernel& kernel) const {
  KernelTime out;
  const auto at = static_cast<std::size_t>(kernel.kind);
  const double operations = kernel.macs > 0 ? 2 * kernel.macs : kernel.flops;
  out.compute = kernel.times * operations * operation_[at];
  if (idles_[at]) out.compute /= utilisation(kernel);
  const double share = scale(kernel);
  const double bytes = (kernel.read_bytes + kernel.write_bytes) * share;
  const double activations = bytes - kernel.weight_bytes * share;
  const double cached = activations < cache_ ? std::max(activations, 0.0) : cache_;
  out.memory = kernel.times * (bytes - kCached * cached) * byte_[at];
  out.compute *= longer(kernel);
  out.memory *= longer(kernel);
  out.launch = kernel.times * efficiency_.launch_seconds[at];
  const double work = std::max(out.compute, out.memory);
  out.seconds = work + out.launch;
  out.bound = out.launch > work           ? Bound::Launch
              : out.compute >= out.memory ? Bound::Compute
                                          : Bound::Memory;
  return out;
}

KernelTime Predictor::time(const FusedKernel& kernel) const {
  if (kernel.kind == KernelClass::Unknown) return {};
  return has_tiles(kernel) ? product_time(kernel) : roofline_time(kernel);
}

DeviceTime Predictor::time(std::span<const FusedKernel> kernels, bool each) const {
  DeviceTime out;
  if (each) out.kernels.reserve(kernels.size());
  double compute = 0;
  for (const FusedKernel& kernel : kernels) {
    const KernelTime one = time(kernel);
    if (each) out.kernels.push_back(one);
    out.seconds += one.seconds;
    if (one.bound == Bound::Compute) compute += one.seconds;
    out.unknown += one.bound == Bound::Unknown ? 1 : 0;
  }
  out.compute_share = out.seconds > 0 ? compute / out.seconds : 0;
  const double wider = borrows_for(kernels) ? kBorrowed : 1;
  out.low = out.seconds * efficiency_.spread.low / wider;
  out.high = out.seconds * efficiency_.spread.high * wider;
  return out;
}

bool Predictor::borrows_for(std::span<const FusedKernel> kernels) const {
  return !efficiency_.layers.empty() &&
         std::any_of(kernels.begin(), kernels.end(),
                     [](const FusedKernel& kernel) { return is_convolution(kernel.kind); });
}

std::string Predictor::product_formula(const FusedKernel& kernel) const {
  const UsedPeak used = peak(kernel.kind);
  const ProductShape shape = product_shape(kernel);
  const Tiling tiling = best_tiling(shape, *efficiency_.products, used.per_second, units_);
  const KernelTime one = product_time(kernel);
  const std::string memory =
      device_.bandwidth ? fmt::format("{} / ({}B/s · {:.3g})", human_bytes(bytes_of(kernel)),
                                      human(device_.bandwidth->value), efficiency_.products->memory)
                        : "0";
  return fmt::format(
      "{}{:.0f}×{:.0f} by {:.0f}×{:.0f} in tiles of {}×{}{}, {:.3g} waves on {} cores: "
      "(({} operations / ({}/s {} · {:.3g}) = {})⁴ + ({} = {})⁴)^¼ + {} launch = {}",
      kernel.times == 1 ? "" : fmt::format("{} runs of: ", human(kernel.times)), shape.rows,
      shape.depth, shape.depth, shape.columns, tiling.rows, tiling.columns,
      tiling.parts > 1 ? fmt::format(", the depth in {} parts", tiling.parts) : "", tiling.waves,
      units_, human(tiling.operations), human(used.per_second), used.precision, tiling.share,
      human_seconds(one.compute), memory, human_seconds(one.memory), human_seconds(one.launch),
      human_seconds(one.seconds));
}

std::string Predictor::formula(const FusedKernel& kernel) const {
  if (kernel.kind == KernelClass::Unknown) return "its cost is unknown";
  if (has_tiles(kernel)) return product_formula(kernel);
  const auto at = static_cast<std::size_t>(kernel.kind);
  const KernelTime one = time(kernel);
  const UsedPeak used = peak(kernel.kind);
  const double use = utilisation(kernel);
  std::string compute = kernel.macs > 0 ? fmt::format("2·{} MACs", human(kernel.macs))
                                        : human(kernel.flops) + " FLOPs";
  const double power = uses_matrix_units(kernel.kind) ? power_share_ : 1;
  compute +=
      fmt::format(" / ({}/s {} · {:.3g}{}{})", human(used.per_second), used.precision,
                  efficiency_.compute[at], power < 1 ? fmt::format(" · {:.3g} power", power) : "",
                  use < 1 ? fmt::format(" · {:.3g} used", use) : "");
  const double cached = cached_bytes(kernel);
  const std::string bytes =
      cached > 0 ? fmt::format("({} - {} · {} in the cache)", human_bytes(bytes_of(kernel)),
                               kCached, human_bytes(cached))
                 : human_bytes(bytes_of(kernel));
  const std::string memory =
      device_.bandwidth ? fmt::format("{} / ({}B/s · {:.3g})", bytes,
                                      human(device_.bandwidth->value), efficiency_.memory[at])
                        : "0";
  const double more = longer(kernel);
  return fmt::format("{}{}max({} = {}, {} = {}) + {} launch = {}",
                     kernel.times == 1 ? "" : fmt::format("{} runs of: ", human(kernel.times)),
                     more == 1 ? "" : fmt::format("{:.3g} backward · ", more), compute,
                     human_seconds(one.compute / more), memory, human_seconds(one.memory / more),
                     human_seconds(one.launch), human_seconds(one.seconds));
}

std::optional<std::vector<FusedKernel>> at_batch(std::span<const FusedKernel> one, double one_batch,
                                                 std::span<const FusedKernel> two, double two_batch,
                                                 double batch) {
  if (one.size() != two.size() || one_batch == two_batch) return std::nullopt;
  const double share = (batch - one_batch) / (two_batch - one_batch);
  std::vector<FusedKernel> out(one.begin(), one.end());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (one[i].kind != two[i].kind) return std::nullopt;
    for (double FusedKernel::*member :
         {&FusedKernel::times, &FusedKernel::macs, &FusedKernel::flops, &FusedKernel::read_bytes,
          &FusedKernel::write_bytes, &FusedKernel::weight_bytes, &FusedKernel::outputs})
      out[i].*member = std::max(0.0, one[i].*member + share * (two[i].*member - one[i].*member));
  }
  return out;
}

}  // namespace strata
