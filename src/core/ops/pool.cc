// Pools. A window that extends past the edge is counted in full: how many of its elements are
// inside differs from output to output.
#include "ops/pool.h"

#include <algorithm>

#include <fmt/format.h>

#include "ops/common.h"
#include "ops/registry.h"
#include "ops/sizes.h"
#include "ops/window.h"

namespace strata {

namespace {

Status check_rank(const ShapeContext& c) {
  if (c.rank(0) >= 2) return {};
  return c.error(fmt::format("input {} must have at least 2 axes, batch and channels",
                             strata::text(c.dims(0))));
}

// From this version on, the last window may extend past the end only if it starts in the input or
// in the padding before it. The specification says so for AveragePool 19 and for MaxPool and LpPool
// 22; engines that know the rule apply it to all three.
constexpr int kLastStartsInside = 19;

Status pool_shape(ShapeContext& c) {
  if (auto ok = check_rank(c); !ok) return ok;
  const Dims& x = c.dims(0);
  auto window = read_window(c, x.size() - 2);
  if (!window) return failure(window);
  if (window->kernel.empty() && x.size() > 2) return c.error("attribute kernel_shape is missing");
  window->ceil = c.integer("ceil_mode", 0) != 0;
  window->last_starts_inside = c.opset() >= kLastStartsInside;
  Dims dims{x[0], x[1]};
  for (std::size_t i = 0; i + 2 < x.size(); ++i) {
    auto places = window->places(c, i, x[2 + i], window->kernel[i]);
    if (!places) return failure(places);
    dims.push_back(std::move(*places));
  }
  if (c.has_output(1)) c.set(1, DType::I64, dims);  // MaxPool's indices
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

Status global_shape(ShapeContext& c) {
  if (auto ok = check_rank(c); !ok) return ok;
  Dims dims{c.dims(0)[0], c.dims(0)[1]};
  dims.resize(c.rank(0), 1);
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

// Each |x| to the power p, their sum, and its root.
void lp_of(CostContext& c, const Expr& window) {
  // p is an integer since version 2; before that, it was a real number.
  const double p = c.real("p", static_cast<double>(c.integer("p", 2)));
  const Expr outputs = c.out_elements(0);
  c.adds({{"outputs", outputs}, {"window less 1", window - 1}});
  if (p == 1) {
    c.adds({{"outputs", outputs}, {"window, absolute values", window}});
  } else if (p == 2) {
    c.muls({{"outputs", outputs}, {"window, squares", window}});
    c.specials({{"roots, one an output", outputs}});
  } else {
    c.specials({{"outputs", outputs}, {"window, powers", window}});
    c.specials({{"roots, one an output", outputs}});
  }
}

using Reduction = void (*)(CostContext&, const Expr&);

template <Reduction reduce>
void pool_cost(CostContext& c) {
  reduce(c, kernel_volume(c));
}

template <Reduction reduce>
void global_cost(CostContext& c) {
  reduce(c, product_from(c.in(0), 2));
}

constexpr Example kMaxPool[] = {
    {"f32[1,64,112,112]",
     "kernel_shape=3,3 strides=2,2 pads=1,1,1,1",
     "f32[1,64,56,56]",
     {.macs = 0, .flops = 1605632}},
    {"f32[1,1,4,4]", "kernel_shape=3,3 strides=2,2 ceil_mode=1", "f32[1,1,2,2]"},
    // A third window would start at 4, in the padding after the input's 0 to 2.
    {"f32[1,1,3]", "kernel_shape=1, strides=2, pads=0,2 ceil_mode=1", "f32[1,1,2]"},
    {"f32[1,1,3]", "kernel_shape=1, strides=2, pads=0,2 ceil_mode=1", "f32[1,1,3]", {}, 12},
    {"f32[1,1,4,4]", "kernel_shape=2,2 dilations=2,2", "f32[1,1,2,2], i64[1,1,2,2]"},
    {"f32[1,3,32,32]", "kernel_shape=2,2 auto_pad=\"SAME_UPPER\"", "f32[1,3,32,32]"},
    {"f32[N,3,L]", "kernel_shape=2, strides=2,", "f32[N,3,⌊L/2⌋]"},
};

constexpr Example kAveragePool[] = {
    // 2·2 outputs with 8 additions and one division.
    {"f32[1,1,5,5]", "kernel_shape=3,3 strides=2,2", "f32[1,1,2,2]", {.macs = 0, .flops = 36}},
    {"f32[1,1,30,30]", "kernel_shape=3,3 pads=2,2,2,2 count_include_pad=1", "f32[1,1,32,32]"},
    {"f32[1,1,6]", "kernel_shape=2, dilations=3,", "f32[1,1,3]"},
};

constexpr Example kLpPool[] = {
    // 2 outputs: 2 squares, 1 addition, 1 root each.
    {"f32[1,1,4]", "kernel_shape=2, strides=2,", "f32[1,1,2]", {.macs = 0, .flops = 8}},
    // 2 outputs: 2 absolute values and 1 addition each.
    {"f32[1,1,4]", "kernel_shape=2, strides=2, p=1", "f32[1,1,2]", {.macs = 0, .flops = 6}},
};

constexpr Example kGlobalAveragePool[] = {
    {"f32[1,1280,7,7]", "", "f32[1,1280,1,1]", {.macs = 0, .flops = 62720}},
    {"f32[N,8,H,W]", "", "f32[N,8,1,1]"},
};
constexpr Example kGlobalMaxPool[] = {
    {"f32[1,2,3]", "", "f32[1,2,1]", {.macs = 0, .flops = 4}},
};
constexpr Example kGlobalLpPool[] = {
    {"f32[1,2,3]", "", "f32[1,2,1]", {.macs = 0, .flops = 12}},
};

// X, the indices of its elements in the output, and perhaps the output's shape.
Status max_unpool_shape(ShapeContext& c) {
  if (auto ok = check_rank(c); !ok) return ok;
  const Dims& x = c.dims(0);
  const std::size_t axes = x.size() - 2;
  if (c.has(2)) {
    auto dims = dims_from_input(c, 2, "size");
    if (!dims) return failure(dims);
    if (*dims && (*dims)->size() != x.size())
      return c.error(
          fmt::format("output_shape has {} sizes where {} are needed", (*dims)->size(), x.size()));
    if (*dims) {
      c.set(0, c.dtype(0), std::move(**dims));
      return {};
    }
  }
  auto window = read_window(c, axes);
  if (!window) return failure(window);
  if (window->kernel.empty() && axes > 0) return c.error("attribute kernel_shape is missing");
  Dims dims{x[0], x[1]};
  for (std::size_t i = 0; i < axes; ++i)
    dims.push_back(c.has(2) ? c.fresh("size") : window->spread(i, x[2 + i], window->kernel[i]));
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

constexpr Example kMaxUnpool[] = {
    {"f32[1,1,2,2], i64[1,1,2,2]",
     "kernel_shape=2,2 strides=2,2",
     "f32[1,1,4,4]",
     {.macs = 0, .flops = 0}},
    {"f32[1,1,2,2], i64[1,1,2,2], i64[4]={1,1,5,5}", "kernel_shape=2,2 strides=2,2",
     "f32[1,1,5,5]"},
};

constexpr AttributeName kPoolAttributes[] = {
    {Attr::Kernel, "kernel_shape"},
    {Attr::Strides, "strides"},
    {Attr::Dilations, "dilations"},
    {Attr::Pads, "pads"},
};

// An adaptive pool is written as a pool whose windows do not overlap; unlike for an ordinary pool,
// the exporter states neither padding nor rounding.
bool is_adaptive(const NodeView& c) {
  const auto kernel = c.integers("kernel_shape"), strides = c.integers("strides");
  return std::equal(kernel.begin(), kernel.end(), strides.begin(), strides.end()) &&
         !c.has_attribute("pads") && !c.has_attribute("ceil_mode") && !c.has_attribute("auto_pad");
}
template <LayerKind plain, LayerKind adaptive>
LayerKind pool_kind(const NodeView& c) {
  return is_adaptive(c) ? adaptive : plain;
}

constexpr OpRule kPoolRules[] = {
    {.name = "MaxPool",
     .shape = pool_shape,
     .cost = pool_cost<max_of_window>,
     .examples = kMaxPool,
     .traits = {.op = Op::MaxPool,
                .kind_of = pool_kind<LayerKind::MaxPool, LayerKind::AdaptiveMaxPool>,
                .int8 = Int8Use::Passing,
                .attributes = kPoolAttributes}},
    {.name = "AveragePool",
     .shape = pool_shape,
     .cost = pool_cost<average_of_window>,
     .examples = kAveragePool,
     .traits = {.op = Op::AveragePool,
                .kind_of = pool_kind<LayerKind::AvgPool, LayerKind::AdaptiveAvgPool>,
                .int8 = Int8Use::Arithmetic,
                .attributes = kPoolAttributes}},
    {.name = "LpPool",
     .shape = pool_shape,
     .cost = pool_cost<lp_of>,
     .examples = kLpPool,
     .traits = {.kind = LayerKind::Other, .int8 = Int8Use::None, .attributes = kPoolAttributes}},
    {.name = "GlobalMaxPool",
     .shape = global_shape,
     .cost = global_cost<max_of_window>,
     .examples = kGlobalMaxPool,
     .traits = {.op = Op::GlobalMaxPool,
                .kind = LayerKind::AdaptiveMaxPool,
                .int8 = Int8Use::None}},
    {.name = "GlobalAveragePool",
     .shape = global_shape,
     .cost = global_cost<average_of_window>,
     .examples = kGlobalAveragePool,
     .traits = {.op = Op::GlobalAveragePool,
                .kind = LayerKind::AdaptiveAvgPool,
                .int8 = Int8Use::Arithmetic}},
    {.name = "GlobalLpPool",
     .shape = global_shape,
     .cost = global_cost<lp_of>,
     .examples = kGlobalLpPool,
     .traits = {.kind = LayerKind::Other, .int8 = Int8Use::None}},
    {.name = "MaxUnpool",
     .since = 9,
     .shape = max_unpool_shape,
     .cost = no_arithmetic,
     .examples = kMaxUnpool,
     .settings = slots(2),
     .traits = {.kind = LayerKind::Other, .int8 = Int8Use::None, .attributes = kPoolAttributes}},
};

}  // namespace

void max_of_window(CostContext& c, const Expr& window) {
  c.adds({{"outputs", c.out_elements(0)}, {"window less 1", window - 1}});
}

void average_of_window(CostContext& c, const Expr& window) {
  max_of_window(c, window);
  c.specials({{"divisions, one an output", c.out_elements(0)}});
}

std::span<const OpRule> pool_rules() { return kPoolRules; }

}  // namespace strata
