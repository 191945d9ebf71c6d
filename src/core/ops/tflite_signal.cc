// Fourier transforms of TFLite.
#include "ops/signal.h"
#include "ops/sizes.h"
#include "ops/tflite_rows.h"

namespace strata {

namespace {

// Real images along the last two axes, whose lengths are the second input: half of the last axis
// says all.
Status rfft2d_shape(ShapeContext& c) {
  if (c.rank(0) < 2) return c.error("its input needs two axes");
  const auto lengths = c.integers_of(1);
  Dims dims = c.dims(0);
  for (std::size_t i = 0; i < 2; ++i)
    dims[dims.size() - 2 + i] = lengths && lengths->size() == 2 ? (*lengths)[i] : c.fresh("length");
  Expr& last = dims[dims.size() - 1];
  last = floor_div(last, 2) + 1;
  c.set(0, DType::C64, std::move(dims));
  return {};
}

// Transforms of the rows, of which one side is real, and then of the columns that are left.
void rfft2d_cost(CostContext& c) {
  const TypeInfo& out = c.out(0);
  const Expr rows =
      out.ranked && !out.dims.empty() ? product_of(out, 0, out.dims.size() - 1) : Expr::unknown();
  const auto* lengths = c.has(1) ? c.graph().tensors[c.node().inputs[1]].data : nullptr;
  const auto value = lengths == nullptr ? std::nullopt : decode(*lengths);
  const Expr width =
      value && value->size() == 2 ? value->items[1].whole() : (size_from_end(out, 0) - 1) * 2;
  fourier_cost(c, rows, width, true);
  const Expr height = size_from_end(out, 1);
  if (height.is(1)) return;
  fourier_cost(c, share_of(c.out_elements(0), height), height, false);
}

constexpr Example kTfliteRfft2d[] = {
    {"f32[1,4,1,8], i32[2]={1,8}", "", "c64[1,4,1,5]", {.macs = 0}},
};

constexpr OpRule kTfliteSignalRules[] = {
    with_settings(tflite("RFFT2D", "", rfft2d_shape, rfft2d_cost, kTfliteRfft2d), slots(1)),
};

}  // namespace

std::span<const OpRule> tflite_signal_rules() { return kTfliteSignalRules; }

}  // namespace strata
