// Pools of PyTorch.
#include <limits>

#include "ops/aten_rows.h"
#include "ops/pool.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

template <std::size_t axes>
void max_pool_cost(CostContext& c) {
  max_of_window(c, window_volume(c, "kernel_size", axes));
}
template <std::size_t axes>
void average_pool_cost(CostContext& c) {
  average_of_window(c, window_volume(c, "kernel_size", axes));
}

// Window i of an adaptive pool goes from ⌊i·in/out⌋ to ⌈(i + 1)·in/out⌉: how many elements the
// windows along one axis have together.
Expr adaptive_elements(const Expr& in, const Expr& out) {
  if (exact_div(in, out)) return in;
  constexpr std::int64_t kMost = 1 << 16;
  if (!in.is_number() || !out.is_number() || out.value() < 1 || out.value() > kMost)
    return Expr::unknown();
  const std::int64_t a = in.value(), b = out.value();
  if (a > std::numeric_limits<std::int64_t>::max() / kMost / 2) return Expr::unknown();
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < b; ++i) sum += ((i + 1) * a + b - 1) / b - i * a / b;
  return sum;
}

// Elements of all windows: those of the last `axes` axes, times the axes before.
Expr window_elements(const NodeView& c, std::size_t axes) {
  const TypeInfo &in = c.in(0), &out = c.out(0);
  if (in.dims.size() < axes || out.dims.size() != in.dims.size()) return Expr::unknown();
  const std::size_t first = in.dims.size() - axes;
  Expr count = product_of(out, 0, first);
  for (std::size_t i = first; i < in.dims.size(); ++i)
    count *= adaptive_elements(in.dims[i], out.dims[i]);
  return count;
}
template <std::size_t axes>
void adaptive_average_cost(CostContext& c) {
  c.adds({{"elements of windows less outputs", window_elements(c, axes) - c.out_elements(0)}});
  c.specials({{"divisions, one an output", c.out_elements(0)}});
}
template <std::size_t axes>
void adaptive_max_cost(CostContext& c) {
  c.adds({{"elements of windows less outputs", window_elements(c, axes) - c.out_elements(0)}});
}

// Every gradient goes to the element that was the greatest.
void max_backward_cost(CostContext& c) { c.adds({{"gradients", c.in_elements(0)}}); }
// Every gradient is divided and goes to all elements of its window.
template <std::size_t axes>
void average_backward_cost(CostContext& c) {
  c.specials({{"gradients", c.in_elements(0)}});
  c.adds({{"gradients", c.in_elements(0)}, {"window", window_volume(c, "kernel_size", axes)}});
}
void adaptive_backward_cost(CostContext& c) {
  c.specials({{"gradients", c.in_elements(0)}});
  c.adds({{"inputs", c.out_elements(0)}});
}

constexpr Example kMax1d[] = {
    {"f32[1,2,8]", "kernel_size=2, stride=2,", "f32[1,2,4]", {.macs = 0, .flops = 8}}};
constexpr Example kMax2d[] = {
    {"f32[1,64,112,112]",
     "kernel_size=3,3 stride=2,2 padding=1,1 dilation=1,1 ceil_mode=0",
     "f32[1,64,56,56]",
     {.macs = 0, .flops = 1605632}},
    {"f32[N,3,H,W]", "kernel_size=2,2 stride=2,2", "f32[N,3,⌊H/2⌋,⌊W/2⌋]"},
};
constexpr Example kMax3d[] = {
    {"f32[1,1,4,4,4]", "kernel_size=2, stride=2,", "f32[1,1,2,2,2]", {.macs = 0, .flops = 56}}};
constexpr Example kMax1dIndices[] = {
    {"f32[1,2,8]", "kernel_size=2, stride=2,", "f32[1,2,4], i64[1,2,4]", {.macs = 0, .flops = 8}}};
constexpr Example kMax2dIndices[] = {{"f32[1,64,112,112]",
                                      "kernel_size=3,3 stride=2,2 padding=1,1",
                                      "f32[1,64,56,56], i64[1,64,56,56]",
                                      {.macs = 0, .flops = 1605632}}};
constexpr Example kMax3dIndices[] = {{"f32[1,1,4,4,4]",
                                      "kernel_size=2,2,2 stride=2,2,2",
                                      "f32[1,1,2,2,2], i64[1,1,2,2,2]",
                                      {.macs = 0, .flops = 56}}};
constexpr Example kAverage1d[] = {
    {"f32[1,2,8]", "kernel_size=2, stride=2,", "f32[1,2,4]", {.macs = 0, .flops = 16}}};
// 2·2 outputs with 8 additions and one division.
constexpr Example kAverage2d[] = {
    {"f32[1,1,5,5]", "kernel_size=3,3 stride=2,2", "f32[1,1,2,2]", {.macs = 0, .flops = 36}}};
constexpr Example kAverage3d[] = {
    {"f32[1,1,4,4,4]", "kernel_size=2,2,2", "f32[1,1,2,2,2]", {.macs = 0, .flops = 64}}};
constexpr Example kAdaptive1d[] = {
    // Windows of 0–2, 1–4 and 3–5: 2 + 3 + 2 elements, so 4 additions and 3 divisions.
    {"f32[1,1,5]", "output_size=3,", "f32[1,1,3]", {.macs = 0, .flops = 7}},
};
constexpr Example kAdaptive2d[] = {
    {"f32[1,1280,7,7]", "output_size=1,1", "f32[1,1280,1,1]", {.macs = 0, .flops = 62720}},
    // Windows of 2×2, as an AveragePool has them.
    {"f32[1,1,4,4]", "output_size=2,2", "f32[1,1,2,2]", {.macs = 0, .flops = 16}},
    {"f32[N,8,H,W]", "output_size=1,1", "f32[N,8,1,1]"},
};
constexpr Example kAdaptive3d[] = {
    {"f32[1,2,2,2,2]", "output_size=1,1,1", "f32[1,2,1,1,1]", {.macs = 0, .flops = 16}}};
constexpr Example kAdaptiveMax1d[] = {
    {"f32[1,1,5]", "output_size=3,", "f32[1,1,3], i64[1,1,3]", {.macs = 0, .flops = 4}}};
constexpr Example kAdaptiveMax2d[] = {
    {"f32[1,1,4,4]", "output_size=2,2", "f32[1,1,2,2], i64[1,1,2,2]", {.macs = 0, .flops = 12}}};
constexpr Example kAdaptiveMax3d[] = {{"f32[1,2,2,2,2]",
                                       "output_size=1,1,1",
                                       "f32[1,2,1,1,1], i64[1,2,1,1,1]",
                                       {.macs = 0, .flops = 14}}};
constexpr Example kMaxBackward[] = {{"f32[1,1,2,2], f32[1,1,4,4], i64[1,1,2,2]",
                                     "kernel_size=2,2 stride=2,2",
                                     "f32[1,1,4,4]",
                                     {.macs = 0, .flops = 4}}};
constexpr Example kAverageBackward[] = {{"f32[1,1,2,2], f32[1,1,4,4]",
                                         "kernel_size=2,2 stride=2,2",
                                         "f32[1,1,4,4]",
                                         {.macs = 0, .flops = 4 + 16}}};
// 8 gradients, each to a window of 8.
constexpr Example kMaxBackward3d[] = {{"f32[1,1,2,2,2], f32[1,1,4,4,4], i64[1,1,2,2,2]",
                                       "kernel_size=2,2,2 stride=2,2,2",
                                       "f32[1,1,4,4,4]",
                                       {.macs = 0, .flops = 8}}};
constexpr Example kAverageBackward3d[] = {{"f32[1,1,2,2,2], f32[1,1,4,4,4]",
                                           "kernel_size=2,2,2 stride=2,2,2",
                                           "f32[1,1,4,4,4]",
                                           {.macs = 0, .flops = 8 + 64}}};
constexpr Example kAdaptiveBackward3d[] = {
    {"f32[1,1,2,2,2], f32[1,1,4,4,4]", "", "f32[1,1,4,4,4]", {.macs = 0, .flops = 8 + 64}}};
constexpr Example kAdaptiveBackward[] = {
    {"f32[1,1,2,2], f32[1,1,4,4]", "", "f32[1,1,4,4]", {.macs = 0, .flops = 4 + 16}}};

constexpr Example kFractional[] = {{"f32[1,2,5,5], f32[1,2,2]",
                                    "kernel_size=2,2 output_size=3,3",
                                    "f32[1,2,3,3], i64[1,2,3,3]",
                                    {.macs = 0, .flops = 18 * 3}}};
constexpr Example kFractional3d[] = {{"f32[1,1,5,5,5], f32[1,1,3]",
                                      "kernel_size=2,2,2 output_size=3,3,3",
                                      "f32[1,1,3,3,3], i64[1,1,3,3,3]",
                                      {.macs = 0, .flops = 27 * 7}}};
constexpr Example kUnpool[] = {
    {"f32[1,1,2,2], i64[1,1,2,2]", "output_size=4,4", "f32[1,1,4,4]", {.macs = 0, .flops = 0}}};

constexpr AttributeName kAtenPoolAttributes[] = {
    {Attr::Kernel, "kernel_size"},
    {Attr::Strides, "stride"},
    {Attr::Dilations, "dilation"},
    {Attr::Padding, "padding"},
};
constexpr Traits kMaxTraits = {.kind = LayerKind::MaxPool, .attributes = kAtenPoolAttributes};
constexpr Traits kAverageTraits = {.kind = LayerKind::AvgPool, .attributes = kAtenPoolAttributes};
constexpr Traits kAdaptiveAverage = {.kind = LayerKind::AdaptiveAvgPool};
constexpr Traits kAdaptiveMax = {.kind = LayerKind::AdaptiveMaxPool};
constexpr Traits kFractionalTraits = {
    .kind = LayerKind::MaxPool, .int8 = Int8Use::None, .attributes = kAtenPoolAttributes};
constexpr Traits kGradient = {.kind = LayerKind::Other, .int8 = Int8Use::None};

constexpr OpRule kAtenPoolRules[] = {
    aten_as("max_pool1d", "MaxPool", max_pool_cost<1>, kMax1d, kMaxTraits),
    aten_as("max_pool2d", "MaxPool", max_pool_cost<2>, kMax2d, kMaxTraits),
    aten_as("max_pool3d", "MaxPool", max_pool_cost<3>, kMax3d, kMaxTraits),
    aten_as("max_pool1d_with_indices", "MaxPool", max_pool_cost<1>, kMax1dIndices, kMaxTraits),
    aten_as("max_pool2d_with_indices", "MaxPool", max_pool_cost<2>, kMax2dIndices, kMaxTraits),
    aten_as("max_pool3d_with_indices", "MaxPool", max_pool_cost<3>, kMax3dIndices, kMaxTraits),
    aten_as("avg_pool1d", "AveragePool", average_pool_cost<1>, kAverage1d, kAverageTraits),
    aten_as("avg_pool2d", "AveragePool", average_pool_cost<2>, kAverage2d, kAverageTraits),
    aten_as("avg_pool3d", "AveragePool", average_pool_cost<3>, kAverage3d, kAverageTraits),
    aten_as("adaptive_avg_pool1d", "AveragePool", adaptive_average_cost<1>, kAdaptive1d,
            kAdaptiveAverage),
    aten_as("adaptive_avg_pool2d", "AveragePool", adaptive_average_cost<2>, kAdaptive2d,
            kAdaptiveAverage),
    aten_as("adaptive_avg_pool3d", "AveragePool", adaptive_average_cost<3>, kAdaptive3d,
            kAdaptiveAverage),
    aten_as("_adaptive_avg_pool2d", "AveragePool", adaptive_average_cost<2>, kAdaptive2d,
            kAdaptiveAverage),
    aten_as("_adaptive_avg_pool3d", "AveragePool", adaptive_average_cost<3>, kAdaptive3d,
            kAdaptiveAverage),
    aten_as("adaptive_max_pool1d", "MaxPool", adaptive_max_cost<1>, kAdaptiveMax1d, kAdaptiveMax),
    aten_as("adaptive_max_pool2d", "MaxPool", adaptive_max_cost<2>, kAdaptiveMax2d, kAdaptiveMax),
    aten_as("adaptive_max_pool3d", "MaxPool", adaptive_max_cost<3>, kAdaptiveMax3d, kAdaptiveMax),
    // windows that begin at random places
    aten("fractional_max_pool2d", max_pool_cost<2>, kFractional, kFractionalTraits),
    aten("fractional_max_pool3d", max_pool_cost<3>, kFractional3d, kFractionalTraits),
    aten("max_unpool2d", no_arithmetic, kUnpool, kGradient),
    aten("max_unpool3d", no_arithmetic, kUnpool, kGradient),
    aten("max_pool2d_with_indices_backward", max_backward_cost, kMaxBackward, kGradient),
    aten("max_pool3d_with_indices_backward", max_backward_cost, kMaxBackward3d, kGradient),
    aten("adaptive_max_pool2d_backward", max_backward_cost, kMaxBackward, kGradient),
    aten("avg_pool2d_backward", average_backward_cost<2>, kAverageBackward, kGradient),
    aten("avg_pool3d_backward", average_backward_cost<3>, kAverageBackward3d, kGradient),
    aten("_adaptive_avg_pool2d_backward", adaptive_backward_cost, kAdaptiveBackward, kGradient),
    aten("_adaptive_avg_pool3d_backward", adaptive_backward_cost, kAdaptiveBackward3d, kGradient),
};

}  // namespace

std::span<const OpRule> aten_pool_rules() { return kAtenPoolRules; }

}  // namespace strata
