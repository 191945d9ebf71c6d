#include "ops/conv.h"

#include <fmt/format.h>

#include "ops/common.h"
#include "ops/registry.h"
#include "ops/sizes.h"
#include "ops/window.h"

namespace strata {

namespace {

Result<std::int64_t> group_of(const ShapeContext& c) {
  const std::int64_t group = c.integer("group", 1);
  if (group < 1) return c.error(fmt::format("attribute group is {} and must be at least 1", group));
  return group;
}

// Checks that data and weights have the same rank, with batch and channels.
Status check_ranks(const ShapeContext& c, std::size_t x, std::size_t w) {
  if (c.rank(x) >= 2 && c.rank(x) == c.rank(w)) return {};
  return c.error(fmt::format("data {} and weights {} must have the same number of axes, at least 2",
                             strata::text(c.dims(x)), strata::text(c.dims(w))));
}

// Checks that the bias, if there is one, has one element per output channel.
Status check_bias(const ShapeContext& c, std::size_t slot, const Expr& channels) {
  if (!c.has(slot) || !c.ranked(slot)) return {};
  if (c.rank(slot) == 1 && !clash(c.dims(slot)[0], channels)) return {};
  return c.error(fmt::format("bias {} does not fit {} output channels", strata::text(c.dims(slot)),
                             channels.text()));
}

// The size of the weights along spatial axis i; if it is not a number, the attribute gives it.
Result<Expr> kernel_size(const ShapeContext& c, const Window& window, std::size_t w,
                         std::size_t i) {
  const Expr& size = c.dims(w)[2 + i];
  if (window.kernel.empty()) return size;
  if (clash(size, window.kernel[i]))
    return c.error(fmt::format("attribute kernel_shape says {} where the weights have {}",
                               window.kernel[i], size.text()));
  return Expr(window.kernel[i]);
}

Status conv_shape(ShapeContext& c) {
  auto dims = conv_dims(c, 0, 1);
  if (!dims) return failure(dims);
  if (auto ok = check_bias(c, 2, (*dims)[1]); !ok) return ok;
  c.set(0, c.dtype(0), std::move(*dims));
  return {};
}

void conv_cost(CostContext& c) {
  conv_macs(c, 1);
  bias_adds(c, 2);
}

constexpr Example kConv[] = {
    {"f32[1,3,224,224], f32[64,3,7,7]",
     "strides=2,2 pads=3,3,3,3",
     "f32[1,64,112,112]",
     {.macs = 118013952, .flops = 236027904}},
    // Depthwise, with bias: 7·7·32 outputs of 9 MACs and one addition.
    {"f32[1,32,7,7], f32[32,1,3,3], f32[32]",
     "group=32 pads=1,1,1,1",
     "f32[1,32,7,7]",
     {.macs = 14112, .flops = 29792}},
    {"f32[1,1,5,5], f32[1,1,3,3]", "auto_pad=\"SAME_LOWER\" strides=2,2", "f32[1,1,3,3]"},
    {"f32[1,1,5,5], f32[1,1,3,3]", "auto_pad=\"VALID\" strides=2,2", "f32[1,1,2,2]"},
    {"f32[2,4,10], f32[8,4,3]", "dilations=2,", "f32[2,8,6]", {.macs = 1152}},
    {"f32[1,1,4,4,4], f32[2,1,2,2,2]", "", "f32[1,2,3,3,3]", {.macs = 432}},
    {"f32[N,3,H,W], f32[8,3,3,3]", "pads=1,1,1,1", "f32[N,8,H,W]"},
};

Status conv_integer_shape(ShapeContext& c) {
  auto dims = conv_dims(c, 0, 1);
  if (!dims) return failure(dims);
  c.set(0, DType::I32, std::move(*dims));
  return {};
}

// Zero points are subtracted from data and weights once, before the products.
void conv_integer_cost(CostContext& c) {
  conv_macs(c, 1);
  if (c.has(2)) c.adds({{"data less zero point", c.in_elements(0)}});
  if (c.has(3)) c.adds({{"weights less zero point", c.in_elements(1)}});
}

constexpr Example kConvInteger[] = {
    {"u8[1,1,3,3], u8[1,1,2,2], u8[]", "pads=1,1,1,1", "i32[1,1,4,4]", {.macs = 64, .flops = 137}},
};

// output_shape, if given, is the result: the spatial sizes, or all sizes.
Result<Dims> conv_transpose_dims(ShapeContext& c, const Window& window, std::int64_t group) {
  const Dims& x = c.dims(0);
  const std::size_t axes = x.size() - 2;
  const auto given = c.integers("output_shape");
  const auto extra = c.integers("output_padding");
  if (!given.empty() && given.size() != axes && given.size() != axes + 2)
    return c.error(
        fmt::format("attribute output_shape has {} items where {} are needed", given.size(), axes));
  if (!extra.empty() && extra.size() != axes)
    return c.error(fmt::format("attribute output_padding has {} items where {} are needed",
                               extra.size(), axes));
  Dims dims{x[0], c.dims(1)[1] * group};
  for (std::size_t i = 0; i < axes; ++i) {
    auto kernel = kernel_size(c, window, 1, i);
    if (!kernel) return failure(kernel);
    if (!given.empty()) {
      dims.push_back(given[given.size() - axes + i]);
    } else if (window.auto_pad == AutoPad::Same) {
      dims.push_back(x[2 + i] * window.stride(i));
    } else {
      dims.push_back(window.spread(i, x[2 + i], *kernel) + (extra.empty() ? 0 : extra[i]));
    }
    if (dims.back().is_number() && dims.back().value() < 0)
      return c.error(
          fmt::format("output size {} along spatial axis {} is negative", dims.back().text(), i));
  }
  return dims;
}

// Weights are (C, M/group, …).
Status conv_transpose_shape(ShapeContext& c) {
  if (auto ok = check_ranks(c, 0, 1); !ok) return ok;
  auto group = group_of(c);
  if (!group) return failure(group);
  auto window = read_window(c, c.rank(0) - 2);
  if (!window) return failure(window);
  if (clash(c.dims(0)[1], c.dims(1)[0]))
    return c.error(fmt::format("data has {} channels where the weights are for {}",
                               c.dims(0)[1].text(), c.dims(1)[0].text()));
  auto dims = conv_transpose_dims(c, *window, *group);
  if (!dims) return failure(dims);
  if (auto ok = check_bias(c, 2, (*dims)[1]); !ok) return ok;
  c.set(0, c.dtype(0), std::move(*dims));
  return {};
}

// Every input element is multiplied by a whole window of its group's weights, even if the product
// falls on cropped padding.
void conv_transpose_cost(CostContext& c) {
  c.macs({{"inputs", c.in_elements(0)},
          {"channels out of a group", size_at(c.in(1), 1)},
          {"window", product_from(c.in(1), 2)}});
  bias_adds(c, 2);
}

constexpr Example kConvTranspose[] = {
    {"f32[1,64,16,16], f32[64,32,2,2]", "strides=2,2", "f32[1,32,32,32]", {.macs = 2097152}},
    {"f32[1,1,3,3], f32[1,2,3,3]", "strides=3,2 output_padding=1,1", "f32[1,2,10,8]"},
    {"f32[1,1,3,3], f32[1,2,3,3]", "strides=3,2 output_shape=10,8", "f32[1,2,10,8]"},
    {"f32[1,1,3,3], f32[1,2,3,3]", "auto_pad=\"SAME_UPPER\" strides=2,2", "f32[1,2,6,6]"},
    {"f32[1,1,3,3], f32[1,2,3,3]", "strides=3,2 pads=1,2,1,2", "f32[1,2,7,3]"},
    {"f32[1,1,3,3], f32[1,1,2,2]", "dilations=2,2", "f32[1,1,5,5]"},
    {"f32[1,4,L], f32[4,3,4], f32[6]", "group=2 strides=2, pads=1,1", "f32[1,6,2·L]"},
};

// X, W, offset, bias, mask.
Status deform_conv_shape(ShapeContext& c) {
  auto dims = conv_dims(c, 0, 1);
  if (!dims) return failure(dims);
  if (auto ok = check_bias(c, 3, (*dims)[1]); !ok) return ok;
  c.set(0, c.dtype(0), std::move(*dims));
  return {};
}

// Each channel is sampled at every place of the window for every output position: 2^n neighbours
// with one product each, and their sum. The neighbours' weights are shared by the channels of an
// offset group and are not counted.
void deform_conv_cost(CostContext& c) {
  conv_macs(c, 1);
  bias_adds(c, 3);
  const std::size_t axes = c.in(0).dims.size() < 2 ? 0 : c.in(0).dims.size() - 2;
  const Expr neighbours = axes < 32 ? Expr(std::int64_t{1} << axes) : Expr::unknown();
  const Expr positions = size_at(c.in(0), 0) * product_from(c.out(0), 2);
  const Expr samples = size_at(c.in(0), 1) * product_from(c.in(1), 2);
  c.muls({{"positions", positions}, {"samples", samples}, {"neighbours", neighbours}});
  c.adds({{"positions", positions}, {"samples", samples}, {"neighbours less 1", neighbours - 1}});
  if (c.has(4)) c.muls({{"positions", positions}, {"masked samples", samples}});
}

constexpr Example kDeformConv[] = {
    // 4 positions of 4 MACs; 16 samples of 4 products and 3 sums.
    {"f32[1,1,3,3], f32[1,1,2,2], f32[1,8,2,2]",
     "kernel_shape=2,2",
     "f32[1,1,2,2]",
     {.macs = 16, .flops = 144}},
};

// Turns columns (N, C·block, L) back into images (N, C, …). The settings are the sizes of the image
// and of the block.
Status col2im_shape(ShapeContext& c) {
  if (c.rank(0) != 3)
    return c.error(fmt::format("input {} must have 3 axes", strata::text(c.dims(0))));
  const auto block = c.integers_of(2);
  Expr volume = block ? 1 : Expr::unknown();
  if (block)
    for (const Expr& size : *block) volume *= size;
  const Expr& columns = c.dims(0)[1];
  const auto channels = exact_div(columns, volume);
  if (!channels && columns.is_number() && volume.is_number())
    return c.error(fmt::format("{} rows of columns are not a multiple of a block of {}",
                               columns.text(), volume.text()));
  auto image = dims_from_input(c, 1, "size");
  if (!image) return failure(image);
  if (!*image) {
    c.set_unranked(0, c.dtype(0));
    return {};
  }
  Dims dims{c.dims(0)[0], channels ? *channels : c.fresh("channels")};
  for (const Expr& size : **image) dims.push_back(size);
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

void col2im_cost(CostContext& c) { c.adds({{"columns' elements", c.in_elements(0)}}); }

constexpr Example kCol2Im[] = {
    {"f32[1,5,5], i64[2]={5,5}, i64[2]={1,5}", "", "f32[1,1,5,5]", {.macs = 0, .flops = 25}},
};

constexpr OpRule kConvRules[] = {
    {.name = "Conv",
     .shape = conv_shape,
     .cost = conv_cost,
     .examples = kConv,
     .traits = {.kind = LayerKind::Conv,
                .product = Product::Conv,
                .weights = 1,
                .bias = 2,
                .int8_output = Int8Output::Whole,
                .attributes = kConvAttributes}},
    {.name = "ConvTranspose",
     .shape = conv_transpose_shape,
     .cost = conv_transpose_cost,
     .examples = kConvTranspose,
     .traits = {.kind = LayerKind::ConvTranspose,
                .product = Product::ConvTranspose,
                .weights = 1,
                .bias = 2,
                .int8_output = Int8Output::Floats,
                .attributes = kConvAttributes}},
    {.name = "ConvInteger",
     .since = 10,
     .shape = conv_integer_shape,
     .cost = conv_integer_cost,
     .examples = kConvInteger,
     .settings = slots(2, 3),
     .traits = {.kind = LayerKind::Conv,
                .product = Product::Conv,
                .weights = 1,
                .quantized = Quantized::Computes,
                .attributes = kConvAttributes}},
    {.name = "DeformConv",
     .since = 19,
     .shape = deform_conv_shape,
     .cost = deform_conv_cost,
     .examples = kDeformConv,
     .traits = {.kind = LayerKind::Other,
                .product = Product::Other,
                .weights = 1,
                .bias = 3,
                .attributes = kConvAttributes}},
    {.name = "Col2Im",
     .since = 18,
     .shape = col2im_shape,
     .cost = col2im_cost,
     .examples = kCol2Im,
     .settings = slots(1, 2),
     .traits = {.kind = LayerKind::Other, .product = Product::None}},
};

}  // namespace

Result<Dims> conv_dims(ShapeContext& c, std::size_t x, std::size_t w) {
  if (auto ok = check_ranks(c, x, w); !ok) return failure(ok);
  const Dims& data = c.dims(x);
  const Dims& weights = c.dims(w);
  auto group = group_of(c);
  if (!group) return failure(group);
  if (clash(data[1], weights[1] * *group))
    return c.error(fmt::format("data has {} channels where the weights are for {} in {} group{}",
                               data[1].text(), (weights[1] * *group).text(), *group,
                               *group == 1 ? "" : "s"));
  auto window = read_window(c, data.size() - 2);
  if (!window) return failure(window);
  Dims dims{data[0], weights[0]};
  for (std::size_t i = 0; i + 2 < data.size(); ++i) {
    auto kernel = kernel_size(c, *window, w, i);
    if (!kernel) return failure(kernel);
    auto places = window->places(c, i, data[2 + i], *kernel);
    if (!places) return failure(places);
    dims.push_back(std::move(*places));
  }
  return dims;
}

void conv_macs(CostContext& c, std::size_t w) {
  c.macs({{"outputs", c.out_elements(0)},
          {"channels in a group", size_at(c.in(w), 1)},
          {"window", product_from(c.in(w), 2)}});
}

void bias_adds(CostContext& c, std::size_t slot) {
  if (c.has(slot)) c.adds({{"outputs plus bias", c.out_elements(0)}});
}

std::span<const OpRule> conv_rules() { return kConvRules; }

}  // namespace strata
