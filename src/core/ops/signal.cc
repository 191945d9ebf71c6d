// Fourier transforms and related operators. A transform is counted as a radix-2 FFT: n/2·⌈log2 n⌉
// butterflies with one complex product (4 products, 2 additions) and two complex additions (4
// additions); half as many if one side is real.
#include "ops/signal.h"

#include <fmt/format.h>

#include "ops/common.h"
#include "ops/elements.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// The size that an input's only element gives; a new symbol if it is unknown.
Result<Expr> size_from(ShapeContext& c, std::size_t slot, std::string_view hint) {
  Expr size = known_or_fresh(c, c.scalar_of(slot).value_or(Expr::unknown()), hint);
  if (size.is_number() && size.value() < 0)
    return c.error(fmt::format("input {} is {} and must be a size", slot, size.text()));
  return size;
}

// Real signals have a last axis of size 1, complex ones of size 2.
bool is_real(const TypeInfo& type) { return !size_from_end(type, 0).is(2); }

// ---- DFT: input (…, 1 or 2), dft_length, and from version 20 axis.

Result<std::optional<std::size_t>> dft_axis(ShapeContext& c) {
  std::int64_t axis = c.opset() >= 20 ? -2 : c.integer("axis", 1);
  if (c.opset() >= 20 && c.has(2)) {
    const auto given = c.scalar_of(2);
    if (!given || !given->is_number()) return std::nullopt;
    axis = given->value();
  }
  auto known = c.axis(axis, c.rank(0));
  if (!known) return failure(known);
  if (*known + 1 == c.rank(0))
    return c.error("the last axis holds real and imaginary parts and has no transform");
  return std::optional(*known);
}

Status dft_shape(ShapeContext& c) {
  if (c.rank(0) < 2) return c.error("input must have at least 2 axes");
  const bool onesided = c.integer("onesided", 0) != 0, inverse = c.integer("inverse", 0) != 0;
  auto axis = dft_axis(c);
  if (!axis) return failure(axis);
  Dims dims = c.dims(0);
  dims.back() = onesided && inverse ? 1 : 2;
  if (*axis) {
    Expr& size = dims[**axis];
    if (onesided && inverse) size = (size - 1) * 2;  // unless a length is given
    if (c.has(1)) {
      auto length = size_from(c, 1, "length");
      if (!length) return failure(length);
      size = std::move(*length);
    }
    if (onesided && !inverse) size = floor_div(size, 2) + 1;
  } else {
    for (std::size_t i = 0; i + 1 < dims.size(); ++i) dims[i] = c.fresh("size");
  }
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

// The length is the size of the axis after the transform, or twice that if it is one-sided; whether
// it was odd cannot be seen then, and hardly matters.
void dft_cost(CostContext& c) {
  const bool onesided = c.integer("onesided", 0) != 0, inverse = c.integer("inverse", 0) != 0;
  const auto rank = static_cast<std::int64_t>(c.rank(0));
  std::int64_t axis = c.opset() >= 20 ? -2 : c.integer("axis", 1);
  if (c.opset() >= 20 && c.has(2)) {
    const Value* given = c.graph().tensors[c.node().inputs[2]].value;
    const auto number =
        given != nullptr && given->size() == 1 ? given->items[0].whole().number() : std::nullopt;
    if (!number) return c.cannot_tell("the axis of the transform is not known");
    axis = *number;
  }
  const auto at = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  const Expr size = size_at(c.out(0), at);
  const Expr lines = floor_div(c.out_elements(0), size * size_from_end(c.out(0), 0));
  const Expr length = onesided && !inverse ? (size - 1) * 2 : size;
  fourier_cost(c, lines, length, is_real(c.in(0)) || is_real(c.out(0)));
}

constexpr Example kDft[] = {
    // 1 real signal of 8: 8/4·3 = 6 butterflies with 10 operations.
    {"f32[1,8,1]", "onesided=1", "f32[1,5,2]", {.macs = 0, .flops = 60}},
    {"f32[2,8,2], _, i64[]={1}", "inverse=1", "f32[2,8,2]", {.macs = 0, .flops = 240}},
    {"f32[1,10,10,1]", "axis=1", "f32[1,10,10,2]", {}, 17},
    {"f32[1,10,10,1], i64[]={16}, i64[]={2}", "onesided=1", "f32[1,10,9,2]"},
    {"f32[1,5,2]", "onesided=1 inverse=1", "f32[1,8,1]"},
};

// ---- STFT: signal (N, L, 1 or 2), frame_step, window, frame_length.

Result<Expr> frame_length(ShapeContext& c) {
  if (c.has(3)) return size_from(c, 3, "length");
  return known_or_fresh(c, c.has(2) ? size_at(c.in(2), 0) : Expr::unknown(), "length");
}

Status stft_shape(ShapeContext& c) {
  if (c.rank(0) < 2) return c.error("signal must have at least 2 axes, batch and time");
  const auto found = frame_length(c);
  if (!found) return failure(found);
  const Expr& length = *found;
  const Expr step = c.scalar_of(1).value_or(Expr::unknown());
  if (step.is_number() && step.value() < 1)
    return c.error(fmt::format("frame_step is {} and must be at least 1", step.text()));
  const Expr& samples = c.dims(0)[1];
  if (samples.is_number() && length.is_number() && length.value() > samples.value())
    return c.error(fmt::format("a frame of {} does not fit into a signal of {}", length.text(),
                               samples.text()));
  const Expr frames = known_or_fresh(c, floor_div(samples - length, step) + 1, "frames");
  const bool onesided = c.integer("onesided", 1) != 0;
  c.set(0, c.dtype(0), {c.dims(0)[0], frames, onesided ? floor_div(length, 2) + 1 : length, 2});
  return {};
}

void stft_cost(CostContext& c) {
  const Expr frames = product_of(c.out(0), 0, 2);
  const Expr bins = size_at(c.out(0), 2);
  Expr length = c.has(2) ? size_at(c.in(2), 0) : Expr::unknown();
  if (length.is_unknown()) length = c.integer("onesided", 1) != 0 ? (bins - 1) * 2 : bins;
  if (c.has(2)) c.muls({{"frames", frames}, {"window", length}});
  fourier_cost(c, frames, length, c.rank(0) < 3 || is_real(c.in(0)));
}

constexpr Example kStft[] = {
    // 15 frames: 16 products with the window, 16/4·4 butterflies with 10 operations.
    {"f32[1,128,1], i64[]={8}, f32[16]", "", "f32[1,15,9,2]", {.macs = 0, .flops = 2640}},
    {"f32[1,128,1], i64[]={8}, _, i64[]={16}", "onesided=0", "f32[1,15,16,2]"},
};

// ---- Windows: one input, the length.

Result<DType> output_type(const ShapeContext& c) {
  const std::int64_t number = c.integer("output_datatype", 1);
  if (const auto type = dtype_from_onnx(number)) return *type;
  return c.error(
      fmt::format("attribute output_datatype is {}, which is not an element type", number));
}

Status window_shape(ShapeContext& c) {
  const auto type = output_type(c);
  if (!type) return failure(type);
  const auto size = size_from(c, 0, "size");
  if (!size) return failure(size);
  c.set(0, *type, {*size});
  return {};
}

// a - b·cos(s·i) (+ c·cos(2·s·i)): an angle, a cosine, a product and a sum per term.
template <int cosines>
void window_cost(CostContext& c) {
  c.muls({{"outputs", c.out_elements(0)}, {"products", 2 * cosines}});
  c.adds({{"outputs", c.out_elements(0)}, {"sums", cosines}});
  c.specials({{"outputs", c.out_elements(0)}, {"cosines", cosines}});
}

constexpr Example kWindow[] = {
    {"i64[]={10}", "", "f32[10]", {.macs = 0, .flops = 40}},
    {"i64[]={10}", "output_datatype=11", "f64[10]"},
};
constexpr Example kBlackman[] = {
    {"i64[]={10}", "", "f32[10]", {.macs = 0, .flops = 80}},
};

// num_mel_bins, dft_length, sample_rate, and two edges.
Status mel_shape(ShapeContext& c) {
  const auto type = output_type(c);
  if (!type) return failure(type);
  const auto bins = size_from(c, 0, "bins"), length = size_from(c, 1, "length");
  if (!bins) return failure(bins);
  if (!length) return failure(length);
  c.set(0, *type, {floor_div(*length, 2) + 1, *bins});
  return {};
}

// The two slopes of a triangle: 2 differences, 2 quotients, their minimum, and 0.
void mel_cost(CostContext& c) {
  c.adds({{"outputs", c.out_elements(0)}, {"differences, min, max", 4}});
  c.specials({{"outputs", c.out_elements(0)}, {"quotients", 2}});
}

constexpr Example kMel[] = {
    {"i32[]={8}, i32[]={16}, i32[]={8192}, f32[]={0}, f32[]={4096}",
     "",
     "f32[9,8]",
     {.macs = 0, .flops = 432}},
};

constexpr OpRule kSignalRules[] = {
    {.name = "DFT",
     .since = 17,
     .shape = dft_shape,
     .cost = dft_cost,
     .examples = kDft,
     .settings = slots(1, 2)},
    {.name = "STFT",
     .since = 17,
     .shape = stft_shape,
     .cost = stft_cost,
     .examples = kStft,
     .settings = slots(1, 3),
     .buffers = slots(2)},
    {.name = "HannWindow",
     .since = 17,
     .shape = window_shape,
     .cost = window_cost<1>,
     .examples = kWindow,
     .settings = slots(0)},
    {.name = "HammingWindow",
     .since = 17,
     .shape = window_shape,
     .cost = window_cost<1>,
     .examples = kWindow,
     .settings = slots(0)},
    {.name = "BlackmanWindow",
     .since = 17,
     .shape = window_shape,
     .cost = window_cost<2>,
     .examples = kBlackman,
     .settings = slots(0)},
    {.name = "MelWeightMatrix",
     .since = 17,
     .shape = mel_shape,
     .cost = mel_cost,
     .examples = kMel,
     .settings = slots(0, 1, 2, 3, 4)},
};

}  // namespace

void fourier_cost(CostContext& c, const Expr& transforms, const Expr& length, bool one_side_real) {
  if (!length.is_number())
    return c.cannot_tell(
        "the work of a Fourier transform is not a formula of its length: set that");
  std::int64_t log = 0;
  while (log < 62 && (std::int64_t{1} << log) < length.value()) ++log;
  const Expr butterflies = floor_div(length * log, one_side_real ? 4 : 2);
  c.muls({{"transforms", transforms}, {"butterflies", butterflies}, {"products", 4}});
  c.adds({{"transforms", transforms}, {"butterflies", butterflies}, {"additions", 6}});
}

std::span<const OpRule> signal_rules() { return kSignalRules; }

}  // namespace strata
