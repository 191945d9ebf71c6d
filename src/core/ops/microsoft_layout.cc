// Operators that ONNX Runtime inserts into a graph when it changes the layout of images: channels
// in blocks (domain com.microsoft.nchwc) or channels last (com.ms.internal.nhwc). They occur in
// models that were saved after optimization.
#include "ops/common.h"
#include "ops/part.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

constexpr std::string_view kBlocked = "com.microsoft.nchwc";
constexpr std::string_view kChannelsLast = "com.ms.internal.nhwc";

// The standard operator of the same name on the node's own inputs; the first input may have its
// channels last.
Part same_operator(const NodeView& c, int opset, bool last) {
  Part part{c.node().op, {}, c.node().attributes, opset};
  for (std::size_t i = 0; i < c.input_count(); ++i) part.inputs.push_back(input_of(c, i));
  part.outputs = std::max<std::size_t>(c.output_count(), 1);
  if (last && c.has(0)) {
    part.inputs[0].type = channels_first(std::move(part.inputs[0].type));
    part.inputs[0].data = nullptr;
    part.inputs[0].value = nullptr;
  }
  return part;
}

Status set_outputs(ShapeContext& c, const Part& part, bool last) {
  auto outputs = outputs_of(c, part);
  if (!outputs) return failure(outputs);
  for (std::size_t i = 0; i < outputs->size(); ++i) {
    const Tensor& output = (*outputs)[i];
    c.set(i, last ? channels_last(*output.type) : *output.type);
  }
  return {};
}

void state_work(CostContext& c, const Part& part, bool last) {
  std::vector<TypeInfo> outputs;
  for (std::size_t i = 0; i < c.output_count(); ++i)
    outputs.push_back(last ? channels_first(c.out(i)) : c.out(i));
  add_work(c, part, outputs);
  add_activation(c, c.text("activation", ""), c.out_elements(0));
}

Status nhwc_shape(ShapeContext& c) {
  return set_outputs(c, same_operator(c, c.opset(), true), true);
}
void nhwc_cost(CostContext& c) { state_work(c, same_operator(c, c.opset(), true), true); }

// Resize's sizes and scales are already in the order of its input.
Status nhwc_resize(ShapeContext& c) {
  return set_outputs(c, same_operator(c, c.opset(), false), false);
}
void nhwc_resize_cost(CostContext& c) { state_work(c, same_operator(c, c.opset(), false), false); }

Status blocked_pool(ShapeContext& c) {
  return set_outputs(c, same_operator(c, kPartOpset, false), false);
}
void blocked_pool_cost(CostContext& c) {
  state_work(c, same_operator(c, kPartOpset, false), false);
}

Part blocked_conv_part(const NodeView& c) {
  return {"Conv", {input_of(c, 0), input_of(c, 1), input_of(c, 2)}, c.node().attributes};
}
Status blocked_conv(ShapeContext& c) { return set_outputs(c, blocked_conv_part(c), false); }

// Includes the channels that pad a block, because the kernel computes them.
void blocked_conv_cost(CostContext& c) {
  state_work(c, blocked_conv_part(c), false);
  if (c.has(3)) c.adds({{"outputs", c.out_elements(0)}, {"sum", 1}});
}

// Channels are rounded up to the block size of the machine that wrote the model, 8 or 16.
Status reorder_input(ShapeContext& c) {
  if (c.rank(0) < 2) return c.error("its input needs at least 2 axes");
  TypeInfo type = c.in(0);
  if (c.integer("channels_last", 0) != 0) type = channels_first(std::move(type));
  const Expr by_8 = ceil_div(type.dims[1], 8) * 8, by_16 = ceil_div(type.dims[1], 16) * 16;
  type.dims[1] = by_8 == by_16 ? by_16 : c.fresh("channels");
  c.set(0, std::move(type));
  return {};
}

Status reorder_output(ShapeContext& c) {
  if (c.rank(0) < 2) return c.error("its input needs at least 2 axes");
  const std::int64_t channels = c.integer("channels", 0);
  if (channels <= 0) return c.error("attribute channels must be above 0");
  TypeInfo type = c.in(0);
  type.dims[1] = channels;
  c.set(0, c.integer("channels_last", 0) != 0 ? channels_last(std::move(type)) : std::move(type));
  return {};
}

Status blocked_upsample(ShapeContext& c) {
  const auto scales = c.integers("scales");
  if (scales.size() != c.rank(0)) return c.error("attribute scales needs one number for each axis");
  Dims dims = c.dims(0);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (scales[i] < 1) return c.error("attribute scales has a number below 1");
    dims[i] *= scales[i];
  }
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

// Linear: four neighbours, each with its weight.
void blocked_upsample_cost(CostContext& c) {
  if (c.text("mode", "nearest") != "linear") return;
  c.muls({{"outputs", c.out_elements(0)}, {"neighbours", 4}});
  c.adds({{"outputs", c.out_elements(0)}, {"sums", 3}});
}

constexpr Example kReorderInput[] = {
    {"f32[1,32,56,56]", "", "f32[1,32,56,56]", {.flops = 0}},
    {"f32[1,56,56,28]", "channels_last=1", "f32[1,32,56,56]"},
    {"f32[1,24,56,56]", "", "f32[1,channels,56,56]"},
};
constexpr Example kReorderOutput[] = {
    {"f32[1,32,56,56]", "channels=24", "f32[1,24,56,56]", {.flops = 0}},
    {"f32[1,32,56,56]", "channels=24 channels_last=1", "f32[1,56,56,24]"},
};
constexpr Example kBlockedConv[] = {
    {"f32[1,64,56,56], f32[64,64,3,3], f32[64], f32[1,64,56,56]",
     "pads=1,1,1,1 activation=\"Relu\"",
     "f32[1,64,56,56]",
     {.macs = 115605504, .flops = 231211008 + 3 * 200704}},
};
constexpr Example kBlockedPool[] = {
    {"f32[1,64,112,112]", "kernel_shape=3,3 strides=2,2 pads=1,1,1,1", "f32[1,64,56,56]"},
};
constexpr Example kBlockedGlobalPool[] = {{"f32[1,512,7,7]", "", "f32[1,512,1,1]"}};
constexpr Example kBlockedUpsample[] = {
    {"f32[1,16,8,8]", "scales=1,1,2,2", "f32[1,16,16,16]", {.flops = 0}},
    {"f32[1,16,8,8]", "scales=1,1,2,2 mode=\"linear\"", "f32[1,16,16,16]", {.flops = 7 * 4096}},
};

constexpr Example kNhwcConv[] = {
    {"f32[1,224,224,3], f32[64,3,7,7]",
     "strides=2,2 pads=3,3,3,3",
     "f32[1,112,112,64]",
     {.macs = 118013952}},
};
constexpr Example kNhwcConvTranspose[] = {
    {"f32[1,16,16,64], f32[64,32,2,2]", "strides=2,2", "f32[1,32,32,32]", {.macs = 2097152}},
};
constexpr Example kNhwcQLinearConv[] = {
    {"u8[1,8,8,4], f32[], u8[], i8[16,4,1,1], f32[], i8[], f32[], u8[]",
     "",
     "u8[1,8,8,16]",
     {.macs = 4096}},
};
constexpr Example kNhwcPool[] = {
    {"f32[1,112,112,64]", "kernel_shape=3,3 strides=2,2 pads=1,1,1,1", "f32[1,56,56,64]"},
};
constexpr Example kNhwcGlobalPool[] = {{"f32[1,7,7,512]", "", "f32[1,1,1,512]"}};
constexpr Example kNhwcUnpool[] = {
    {"f32[1,2,2,3], i64[1,2,2,3]", "kernel_shape=2,2 strides=2,2", "f32[1,4,4,3]"},
};
constexpr Example kNhwcBatchNorm[] = {
    {"f32[1,56,56,64], f32[64], f32[64], f32[64], f32[64]", "", "f32[1,56,56,64]"},
};
constexpr Example kNhwcInstanceNorm[] = {
    {"f32[1,56,56,64], f32[64], f32[64]", "", "f32[1,56,56,64]"},
};
constexpr Example kNhwcLrn[] = {{"f32[1,27,27,96]", "size=5", "f32[1,27,27,96]"}};
constexpr Example kNhwcDepthToSpace[] = {
    {"f32[1,4,6,8]", "blocksize=2", "f32[1,8,12,2]", {.flops = 0}},
};
constexpr Example kNhwcSpaceToDepth[] = {
    {"f32[1,8,12,2]", "blocksize=2", "f32[1,4,6,8]", {.flops = 0}},
};
constexpr Example kNhwcGridSample[] = {{"f32[1,8,8,3], f32[1,4,5,2]", "", "f32[1,4,5,3]"}};
constexpr Example kNhwcResize[] = {
    {"f32[1,8,8,3], f32[0]={}, f32[4]={1,2,2,1}", "", "f32[1,16,16,3]"},
};

constexpr OpRule blocked(std::string_view name, ShapeRule shape, CostRule cost,
                         std::span<const Example> examples, bool like_namesake = true) {
  return {.name = name,
          .domain = kBlocked,
          .shape = shape,
          .cost = cost,
          .examples = examples,
          .like_namesake = like_namesake};
}

// `since` is the first version of ONNX's own operator that this domain knows.
constexpr OpRule nhwc(std::string_view name, int since, std::span<const Example> examples,
                      std::uint32_t settings = 0, std::uint32_t buffers = 0) {
  return {.name = name,
          .domain = kChannelsLast,
          .since = since,
          .shape = nhwc_shape,
          .cost = nhwc_cost,
          .examples = examples,
          .settings = settings,
          .buffers = buffers,
          .traits = {.channels_last = true},
          .like_namesake = true};
}

constexpr OpRule kMicrosoftLayoutRules[] = {
    blocked("ReorderInput", reorder_input, no_arithmetic, kReorderInput, false),
    blocked("ReorderOutput", reorder_output, no_arithmetic, kReorderOutput, false),
    blocked("Conv", blocked_conv, blocked_conv_cost, kBlockedConv),
    blocked("MaxPool", blocked_pool, blocked_pool_cost, kBlockedPool),
    blocked("AveragePool", blocked_pool, blocked_pool_cost, kBlockedPool),
    blocked("GlobalMaxPool", blocked_pool, blocked_pool_cost, kBlockedGlobalPool),
    blocked("GlobalAveragePool", blocked_pool, blocked_pool_cost, kBlockedGlobalPool),
    blocked("Upsample", blocked_upsample, blocked_upsample_cost, kBlockedUpsample),

    nhwc("Conv", 11, kNhwcConv),
    nhwc("ConvTranspose", 1, kNhwcConvTranspose),
    nhwc("QLinearConv", 10, kNhwcQLinearConv, slots(1, 2, 4, 5, 6, 7)),
    nhwc("MaxPool", 11, kNhwcPool),
    nhwc("AveragePool", 11, kNhwcPool),
    nhwc("LpPool", 11, kNhwcPool),
    nhwc("GlobalMaxPool", 1, kNhwcGlobalPool),
    nhwc("GlobalAveragePool", 1, kNhwcGlobalPool),
    nhwc("GlobalLpPool", 2, kNhwcGlobalPool),
    nhwc("MaxUnpool", 11, kNhwcUnpool),
    nhwc("BatchNormalization", 9, kNhwcBatchNorm, 0, slots(3, 4)),
    nhwc("InstanceNormalization", 6, kNhwcInstanceNorm),
    nhwc("LRN", 1, kNhwcLrn),
    nhwc("DepthToSpace", 11, kNhwcDepthToSpace),
    nhwc("SpaceToDepth", 1, kNhwcSpaceToDepth),
    nhwc("GridSample", 16, kNhwcGridSample),
    {.name = "Resize",
     .domain = kChannelsLast,
     .since = 11,
     .shape = nhwc_resize,
     .cost = nhwc_resize_cost,
     .examples = kNhwcResize,
     .settings = slots(1, 2, 3),
     .traits = {.channels_last = true},
     .like_namesake = true},
};

}  // namespace

std::span<const OpRule> microsoft_layout_rules() { return kMicrosoftLayoutRules; }

}  // namespace strata
