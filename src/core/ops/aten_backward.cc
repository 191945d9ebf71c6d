// Gradients of PyTorch's activations, normalizations and resizings, as a backward pass runs them.
// Input 0 is the gradient of the output. A sigmoid is an exponential, a sum and a quotient, as in
// the rows of activations.
#include "ops/aten_rows.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// Per element of the gradient: additions and comparisons, multiplications, functions.
template <int adds, int muls, int specials>
void per_gradient(CostContext& c) {
  if constexpr (adds > 0) c.adds({{"gradients", c.in_elements(0)}, {"sums, comparisons", adds}});
  if constexpr (muls > 0) c.muls({{"gradients", c.in_elements(0)}, {"products", muls}});
  if constexpr (specials > 0)
    c.specials({{"gradients", c.in_elements(0)}, {"functions", specials}});
}

// g·(Φ(x) + x·φ(x)). Φ = (1 + erf(x/√2))/2, φ = exp(-x²/2)/√(2π): 7 products, 2 sums, 2 functions.
// With tanh: x² and x³ with their factors, the slope of what is inside, and the rule for products.
void gelu_backward_cost(CostContext& c) {
  if (c.text("approximate", "none") == "tanh") return per_gradient<5, 12, 1>(c);
  per_gradient<2, 7, 2>(c);
}

// From the result, or from the input by an exponential.
void elu_backward_cost(CostContext& c) {
  if (c.integer("is_result", 0) != 0) return per_gradient<2, 1, 0>(c);
  per_gradient<1, 2, 1>(c);
}

// With its own statistics as in the row of layers' norms: two sums along the set, and each element
// less both. With stored ones a factor per element.
void batch_norm_backward(CostContext& c, bool training, bool weight, bool bias) {
  const Expr count = c.in_elements(0);
  if (training) {
    c.adds({{"elements", count}, {"standardize, two sums, two differences", 5}});
    c.muls({{"elements", count}, {"standardize, product, three scales", 5}});
  } else {
    c.muls({{"elements, scale", count}});
    if (weight) c.adds({{"elements, standardize", count}});
    if (weight) c.muls({{"elements, standardize", count}});
  }
  if (weight) {
    c.muls({{"elements", count}, {"weight, product for its gradient", 2}});
    c.adds({{"elements, weight's gradient", count}});
  }
  if (bias) c.adds({{"elements, bias's gradient", count}});
}
void batch_norm_backward_cost(CostContext& c) {
  const auto asked = c.integers("output_mask");
  const auto wants = [&](std::size_t i) { return i >= asked.size() || asked[i] != 0; };
  batch_norm_backward(c, c.integer("train", c.integer("update", 1)) != 0, wants(1), wants(2));
}
void cudnn_batch_norm_backward_cost(CostContext& c) { batch_norm_backward(c, true, true, true); }

// x̂ = x·rstd; dx = (g·w - x̂·mean(g·w·x̂))·rstd.
void rms_norm_backward_cost(CostContext& c) {
  const Expr count = c.in_elements(0);
  c.muls({{"elements", count}, {"standardize, product, two scales", 4}});
  c.adds({{"elements", count}, {"sum, difference", 2}});
  const auto asked = c.integers("output_mask");
  if (!c.has(3)) return;
  c.muls({{"elements, weight", count}});
  if (asked.size() > 1 && asked[1] == 0) return;
  c.muls({{"elements, weight's gradient", count}});
  c.adds({{"elements, weight's gradient", count}});
}

// Every gradient goes to the inputs that its output was made of, each with its share.
template <int inputs>
void resize_backward_cost(CostContext& c) {
  if constexpr (inputs > 1) c.muls({{"gradients", c.in_elements(0)}, {"neighbours", inputs}});
  c.adds({{"gradients", c.in_elements(0)}, {"neighbours", inputs}});
}

template <int inputs>
void antialiased_backward_cost(CostContext& c) {
  resize_backward_cost<inputs>(c);
  c.at_least("with antialias a smaller output looks at more neighbours");
}

// gradient, input, grid. The gradient of the input goes to the neighbours of each sample; that of
// the grid is, along each axis, the difference of neighbours, interpolated along the other axes.
void grid_backward_cost(CostContext& c) {
  const std::size_t axes = c.rank(0) < 2 ? 0 : c.rank(0) - 2;
  const std::int64_t mode = c.integer("interpolation_mode", 0);
  if (axes == 0 || axes > 3 || mode < 0 || mode > 1)
    return c.cannot_tell("its mode of interpolation has no rule");
  const std::int64_t neighbours = mode == 1 ? 1 : std::int64_t{1} << axes;
  const auto along = static_cast<std::int64_t>(axes);
  const auto asked = c.integers("output_mask");
  const Expr count = c.in_elements(0);
  c.muls({{"coordinates", c.in_elements(2)}});
  c.adds({{"coordinates", c.in_elements(2)}});
  if (asked.empty() || asked[0] != 0) {
    if (mode == 0) c.muls({{"gradients", count}, {"neighbours", neighbours}});
    c.adds({{"gradients", count}, {"neighbours", neighbours}});
  }
  if (mode == 1 || (asked.size() > 1 && asked[1] == 0)) return;
  c.adds({{"gradients", count}, {"axes", along}, {"differences, sums", neighbours}});
  c.muls({{"gradients", count}, {"axes", along}, {"shares, gradient", neighbours / 2 + 1}});
  c.muls({{"coordinates, scale", c.in_elements(2)}});
}

void unfold_backward_cost(CostContext& c) { per_gradient<1, 0, 0>(c); }

void of_sizes_cost(CostContext& c) { c.moves_nothing(); }

constexpr std::string_view kPair = "f32[2,3], f32[2,3]";
constexpr Example kOne[] = {{kPair, "", "f32[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kTwo[] = {{kPair, "", "f32[2,3]", {.macs = 0, .flops = 12}}};
constexpr Example kThree[] = {{kPair, "", "f32[2,3]", {.macs = 0, .flops = 18}}};
constexpr Example kFour[] = {{kPair, "", "f32[2,3]", {.macs = 0, .flops = 24}}};
constexpr Example kFive[] = {{kPair, "", "f32[2,3]", {.macs = 0, .flops = 30}}};
// g·s·(1 + x·(1 - s)): 3 products, 2 sums, and the sigmoid of 3.
constexpr Example kSilu[] = {{kPair, "", "f32[2,3]", {.macs = 0, .flops = 6 * 8}}};
constexpr Example kGelu[] = {
    {kPair, "approximate=\"none\"", "f32[2,3]", {.macs = 0, .flops = 6 * 11}},
    {kPair, "approximate=\"tanh\"", "f32[2,3]", {.macs = 0, .flops = 6 * 18}},
};
constexpr Example kElu[] = {
    {kPair, "is_result=1", "f32[2,3]", {.macs = 0, .flops = 18}},
    {kPair, "is_result=0", "f32[2,3]", {.macs = 0, .flops = 24}},
};
// t + x·s·(1 - t²) with t = tanh(log(1 + eˣ)): 4 products, 3 sums, and 3 functions; a sigmoid of 3.
constexpr Example kMish[] = {{kPair, "", "f32[2,3]", {.macs = 0, .flops = 6 * 13}}};
// Halves of 6 gradients: a sigmoid of 3, 3 products and a difference.
constexpr Example kGlu[] = {
    {"f32[2,3], f32[2,6]", "dim=-1", "f32[2,6]", {.macs = 0, .flops = 6 * 7}}};
constexpr Example kPrelu[] = {
    {"f32[2,3], f32[2,3], f32[3]", "", "f32[2,3], f32[2,3]", {.macs = 0, .flops = 18}}};
// 24 elements with 10 operations, 4 for weight and bias.
constexpr Example kBatchNorm[] = {
    {"f32[2,3,4], f32[2,3,4], f32[3], f32[3], f32[3], f32[3], f32[3]",
     "train=1 eps=1e-05f output_mask=1,1,1",
     "f32[2,3,4], f32[3], f32[3]",
     {.macs = 0, .flops = 24 * 14}},
    // With stored statistics, and no weight: a factor.
    {"f32[2,3,4], f32[2,3,4], _, f32[3], f32[3], _, _",
     "train=0 output_mask=1,0,0",
     "f32[2,3,4], _, _",
     {.macs = 0, .flops = 24}},
};
constexpr Example kCudnnBatchNorm[] = {
    {"f32[2,3,4], f32[2,3,4], f32[3], f32[3], f32[3], f32[3], f32[3], u8[0]",
     "epsilon=1e-05f",
     "f32[2,3,4], f32[3], f32[3]",
     {.macs = 0, .flops = 24 * 14}}};
constexpr Example kUpdatedBatchNorm[] = {
    {"f32[2,3,4], f32[2,3,4], f32[3], f32[3], f32[3], f32[3], f32[3], u8[0]",
     "update=1 eps=1e-05f output_mask=1,1,1",
     "f32[2,3,4], f32[3], f32[3]",
     {.macs = 0, .flops = 24 * 14}}};
// 16 elements with 6 operations, and 3 for the weight.
constexpr Example kRmsNorm[] = {{"f32[2,8], f32[2,8], f32[2,1], f32[8]",
                                 "normalized_shape=8, output_mask=1,1",
                                 "f32[2,8], f32[8]",
                                 {.macs = 0, .flops = 16 * 9}}};
constexpr Example kNearest[] = {{"f32[1,1,4,4]",
                                 "output_size=4,4 input_size=1,1,2,2",
                                 "f32[1,1,2,2]",
                                 {.macs = 0, .flops = 16}}};
constexpr Example kNearest1d[] = {
    {"f32[1,1,4]", "output_size=4, input_size=1,1,2", "f32[1,1,2]", {.macs = 0, .flops = 4}}};
constexpr Example kNearest3d[] = {{"f32[1,1,4,4,4]",
                                   "output_size=4,4,4 input_size=1,1,2,2,2",
                                   "f32[1,1,2,2,2]",
                                   {.macs = 0, .flops = 64}}};
// A product and a sum for each of 2 neighbours along each axis; 4 along each for a cubic one.
constexpr Example kLinear1d[] = {{"f32[1,1,4]",
                                  "output_size=4, input_size=1,1,2 align_corners=0",
                                  "f32[1,1,2]",
                                  {.macs = 0, .flops = 4 * 4}}};
constexpr Example kBilinear[] = {{"f32[1,1,4,4]",
                                  "output_size=4,4 input_size=1,1,2,2 align_corners=0",
                                  "f32[1,1,2,2]",
                                  {.macs = 0, .flops = 16 * 8}}};
constexpr Example kTrilinear[] = {{"f32[1,1,4,4,4]",
                                   "output_size=4,4,4 input_size=1,1,2,2,2 align_corners=0",
                                   "f32[1,1,2,2,2]",
                                   {.macs = 0, .flops = 64 * 16}}};
constexpr Example kBicubic[] = {{"f32[1,1,4,4]",
                                 "output_size=4,4 input_size=1,1,2,2 align_corners=0",
                                 "f32[1,1,2,2]",
                                 {.macs = 0, .flops = 16 * 32}}};
// 12 coordinates with 2 operations; 6 gradients with 4 neighbours, a product and a sum each; then
// 2 axes with 4 sums and 3 products, and a scale for each coordinate.
constexpr Example kGrid[] = {
    {"f32[1,1,2,3], f32[1,1,4,4], f32[1,2,3,2]",
     "interpolation_mode=0 output_mask=1,1",
     "f32[1,1,4,4], f32[1,2,3,2]",
     {.macs = 0, .flops = 24 + 6 * 8 + 6 * 14 + 12}},
    {"f32[1,1,2,3], f32[1,1,4,4], f32[1,2,3,2]",
     "interpolation_mode=1 output_mask=1,0",
     "f32[1,1,4,4], _",
     {.macs = 0, .flops = 24 + 6}},
};
constexpr Example kGrid3d[] = {{"f32[1,1,1,2,3], f32[1,1,4,4,4], f32[1,1,2,3,3]",
                                "interpolation_mode=0 output_mask=1,1",
                                "f32[1,1,4,4,4], f32[1,1,2,3,3]",
                                {.macs = 0, .flops = 36 + 6 * 16 + 6 * (24 + 15) + 18}}};
constexpr Example kPadded[] = {
    {"f32[1,2,9], f32[1,2,5]", "padding=2,2", "f32[1,2,5]", {.macs = 0, .flops = 18}}};
constexpr Example kSlice[] = {{"f32[2,2]",
                               "input_sizes=2,3 dim=1 start=0 end=2 step=1",
                               "f32[2,3]",
                               {.macs = 0, .flops = 0}}};
constexpr Example kSameSize[] = {{kPair, "", "", {.macs = 0, .flops = 0}}};
constexpr Example kUnfold[] = {
    {"f32[2,3]", "input_sizes=4, dim=0 size=3 step=1", "f32[4]", {.macs = 0, .flops = 6}}};

constexpr Traits kGradient = {
    .kind = LayerKind::Other, .product = Product::None, .int8 = Int8Use::None};

constexpr OpRule gradient(std::string_view name, CostRule cost, std::span<const Example> examples) {
  return aten(name, cost, examples, kGradient);
}

// One layer of an LSTM in one direction: gradients of the input and the state, and of both weights:
// each product of the layer twice. Of each cell: tanh(c), and from the gradients of h and c, with
// the gates kept, those of the gates o·(1 - o)·h·tanh(c), i·(1 - i)·c·g, (1 - g²)·c·i and f·(1 -
// f)·c·c₀, of c, which has o·(1 - tanh²(c))·h added, and of the c before, c·f. Then the gradients
// of 4 biases.
void one_layer_backward_cost(CostContext& c) {
  if (c.rank(0) != 3) return c.cannot_tell("the sizes of the input are not known");
  const Expr rows = c.dims(0)[0] * c.dims(0)[1];
  c.macs({{"steps and batch", rows}, {"weights of the input", c.in_elements(1)}, {"both", 2}});
  c.macs({{"steps and batch", rows}, {"weights of the state", c.in_elements(2)}, {"both", 2}});
  const Expr cells = rows * size_from_end(c.in(2), 0);
  c.specials({{"cells, tanh", cells}});
  c.muls({{"cells", cells}, {"gates, c, c before", 16}});
  c.adds({{"cells", cells}, {"gates, c", 6}});
  c.adds({{"cells", cells}, {"biases", 4}});
}

constexpr Example kOneLayerBackward[] = {
    {"f32[2,3,4], f32[20,4], f32[20,5]",
     "",
     "f32[2,3,4], f32[20,4], f32[20,5]",
     {.macs = 2160, .flops = 4320 + 30 * 27}},
};

constexpr OpRule kAtenBackwardRules[] = {
    gradient("mkldnn_rnn_layer_backward", one_layer_backward_cost, kOneLayerBackward),
    gradient("threshold_backward", per_gradient<1, 0, 0>, kOne),
    gradient("hardtanh_backward", per_gradient<2, 0, 0>, kTwo),
    gradient("hardshrink_backward", per_gradient<2, 0, 0>, kTwo),
    gradient("softshrink_backward", per_gradient<2, 0, 0>, kTwo),
    gradient("leaky_relu_backward", per_gradient<1, 1, 0>, kTwo),
    gradient("hardsigmoid_backward", per_gradient<2, 1, 0>, kThree),
    gradient("sigmoid_backward", per_gradient<1, 2, 0>, kThree),
    gradient("tanh_backward", per_gradient<1, 2, 0>, kThree),
    gradient("hardswish_backward", per_gradient<3, 2, 0>, kFive),
    gradient("softplus_backward", per_gradient<1, 2, 2>, kFive),
    gradient("log_sigmoid_backward", per_gradient<1, 1, 2>, kFour),
    gradient("silu_backward", per_gradient<3, 3, 2>, kSilu),
    gradient("mish_backward", per_gradient<4, 4, 5>, kMish),
    gradient("gelu_backward", gelu_backward_cost, kGelu),
    gradient("elu_backward", elu_backward_cost, kElu),
    gradient("glu_backward", per_gradient<2, 3, 2>, kGlu),
    gradient("_prelu_kernel_backward", per_gradient<1, 2, 0>, kPrelu),
    // y·(g - Σ g·y), and g - eʸ·Σ g
    gradient("_softmax_backward_data", per_gradient<2, 2, 0>, kFour),
    gradient("_log_softmax_backward_data", per_gradient<2, 1, 1>, kFour),
    gradient("native_dropout_backward", per_gradient<0, 2, 0>, kTwo),
    gradient("native_batch_norm_backward", batch_norm_backward_cost, kBatchNorm),
    gradient("batch_norm_backward", batch_norm_backward_cost, kUpdatedBatchNorm),
    gradient("cudnn_batch_norm_backward", cudnn_batch_norm_backward_cost, kCudnnBatchNorm),
    gradient("_fused_rms_norm_backward", rms_norm_backward_cost, kRmsNorm),
    gradient("upsample_nearest1d_backward", resize_backward_cost<1>, kNearest1d),
    gradient("upsample_nearest2d_backward", resize_backward_cost<1>, kNearest),
    gradient("_upsample_nearest_exact2d_backward", resize_backward_cost<1>, kNearest),
    gradient("upsample_nearest3d_backward", resize_backward_cost<1>, kNearest3d),
    gradient("upsample_linear1d_backward", resize_backward_cost<2>, kLinear1d),
    gradient("upsample_bilinear2d_backward", resize_backward_cost<4>, kBilinear),
    gradient("upsample_trilinear3d_backward", resize_backward_cost<8>, kTrilinear),
    gradient("upsample_bicubic2d_backward", resize_backward_cost<16>, kBicubic),
    gradient("_upsample_bilinear2d_aa_backward", antialiased_backward_cost<4>, kBilinear),
    gradient("_upsample_bicubic2d_aa_backward", antialiased_backward_cost<16>, kBicubic),
    gradient("grid_sampler_2d_backward", grid_backward_cost, kGrid),
    gradient("grid_sampler_3d_backward", grid_backward_cost, kGrid3d),
    gradient("reflection_pad1d_backward", per_gradient<1, 0, 0>, kPadded),
    gradient("reflection_pad2d_backward", per_gradient<1, 0, 0>, kPadded),
    gradient("reflection_pad3d_backward", per_gradient<1, 0, 0>, kPadded),
    gradient("replication_pad1d_backward", per_gradient<1, 0, 0>, kPadded),
    gradient("replication_pad2d_backward", per_gradient<1, 0, 0>, kPadded),
    gradient("replication_pad3d_backward", per_gradient<1, 0, 0>, kPadded),
    gradient("slice_backward", no_arithmetic, kSlice),
    gradient("select_backward", no_arithmetic, kSlice),
    gradient("diagonal_backward", no_arithmetic, kSlice),
    gradient("unfold_backward", unfold_backward_cost, kUnfold),
    gradient("is_same_size", of_sizes_cost, kSameSize),
};

}  // namespace

std::span<const OpRule> aten_backward_rules() { return kAtenBackwardRules; }

}  // namespace strata
