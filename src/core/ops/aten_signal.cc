// Fourier transforms of PyTorch.
#include "ops/aten_rows.h"
#include "ops/registry.h"
#include "ops/signal.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// The axes that are transformed, in order; all of them if none is stated.
InlineVector<std::size_t, 4> axes_of_transform(const NodeView& c) {
  InlineVector<std::size_t, 4> axes;
  const auto add = [&](std::int64_t axis) {
    if (axis < 0) axis += static_cast<std::int64_t>(c.rank(0));
    if (axis >= 0 && axis < static_cast<std::int64_t>(c.rank(0)))
      axes.push_back(static_cast<std::size_t>(axis));
  };
  if (const auto one = c.integer("dim")) add(*one);
  for (const std::int64_t axis : c.integers("dim")) add(axis);
  if (axes.empty())
    for (std::size_t i = 0; i < c.rank(0); ++i) axes.push_back(i);
  return axes;
}

enum class Real { No, Input, Output };

// Along the last of the axes, one side may be real and the other have half of the frequencies.
template <Real real>
void fft_cost(CostContext& c) {
  const TypeInfo& complex = real == Real::Input ? c.out(0) : c.in(0);
  const TypeInfo& whole = real == Real::Input ? c.in(0) : c.out(0);
  if (!complex.ranked || !whole.ranked || complex.dims.size() != whole.dims.size())
    return c.cannot_tell("the sizes of the transform are not known");
  const auto axes = axes_of_transform(c);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = axes[i];
    const Expr lines = product_of(complex, 0, axis) * product_from(complex, axis + 1);
    fourier_cost(c, lines, whole.dims[axis], real != Real::No && i + 1 == axes.size());
  }
}

// One real signal of 8: 8/4·3 = 6 butterflies with 10 operations.
constexpr Example kReal[] = {
    {"f32[1,8]", "dim=1, normalization=0 onesided=1", "c64[1,5]", {.macs = 0, .flops = 60}}};
constexpr Example kToReal[] = {
    {"c64[1,5]", "dim=1, normalization=0 last_dim_size=8", "f32[1,8]", {.macs = 0, .flops = 60}}};
// 2 signals of 8: 8/2·3 = 12 butterflies each.
constexpr Example kComplex[] = {
    {"c64[2,8]", "dim=-1 normalization=0 forward=1", "c64[2,8]", {.macs = 0, .flops = 240}}};
// 4 rows of 4 and 4 columns of 4, with 4 butterflies each.
constexpr Example kPlane[] = {{"c64[4,4]", "dim=-2,-1", "c64[4,4]", {.macs = 0, .flops = 320}}};

constexpr OpRule kAtenSignalRules[] = {
    aten("_fft_r2c", fft_cost<Real::Input>, kReal),
    aten("_fft_c2r", fft_cost<Real::Output>, kToReal),
    aten("_fft_c2c", fft_cost<Real::No>, kComplex),
    aten("fft_fft", fft_cost<Real::No>, kComplex),
    aten("fft_ifft", fft_cost<Real::No>, kComplex),
    aten("fft_rfft", fft_cost<Real::Input>, kReal),
    aten("fft_irfft", fft_cost<Real::Output>, kToReal),
    aten("fft_fft2", fft_cost<Real::No>, kPlane),
    aten("fft_ifft2", fft_cost<Real::No>, kPlane),
    aten("fft_fftn", fft_cost<Real::No>, kPlane),
    aten("fft_ifftn", fft_cost<Real::No>, kPlane),
};

}  // namespace

std::span<const OpRule> aten_signal_rules() { return kAtenSignalRules; }

}  // namespace strata
