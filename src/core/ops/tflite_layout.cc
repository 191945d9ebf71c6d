// Operators of TFLite that give a tensor another shape or order, join, repeat and pad.
#include "ops/registry.h"
#include "ops/tflite_rows.h"

namespace strata {

namespace {

// The sizes are the second input, or attribute new_shape of old files.
Recast reshaped(const NodeView& c) {
  Recast other{"Reshape"};
  other.inputs = {input_of(c, 0), input_of(c, 1)};
  return other;
}
Status tflite_reshape(ShapeContext& c) {
  if (c.has(1)) return shape_as(c, reshaped(c));
  Dims sizes;
  Expr stated = 1;
  for (const std::int64_t size : c.integers("new_shape")) {
    sizes.push_back(size);
    if (size != -1) stated *= size;
  }
  for (Expr& size : sizes)
    if (size.is(-1)) {
      const auto rest = exact_div(c.in_elements(0), stated);
      size = rest ? *rest : c.fresh("size");
    }
  c.set(0, c.dtype(0), std::move(sizes));
  return {};
}

Status tflite_transpose(ShapeContext& c) {
  const auto order = c.integers_of(1);
  if (!order || order->size() != c.rank(0)) {
    c.set_unranked(0, c.dtype(0));
    return {};
  }
  Dims dims;
  for (const Expr& from : *order) {
    const auto axis = c.axis(from.is_number() ? from.value() : -1, c.rank(0));
    if (!axis) return failure(axis);
    dims.push_back(c.dims(0)[*axis]);
  }
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

Recast without_axes(const NodeView& c) {
  Recast other{"Squeeze"};
  other.inputs = {input_of(c, 0)};
  other.opset = 11;  // whose axes are an attribute
  const auto axes = c.integers("squeeze_dims");
  if (!axes.empty()) other.attributes = {{"axes", axes}};
  return other;
}
Recast with_axis(const NodeView& c) {
  Recast other{"Unsqueeze"};
  other.inputs = {input_of(c, 0), input_of(c, 1)};
  return other;
}

// The second input has, for each axis, how many elements are put before it and after it.
Status tflite_pad(ShapeContext& c) {
  Dims dims = c.dims(0);
  const auto pads = c.integers_of(1);
  if (pads && pads->size() != 2 * dims.size())
    return c.error("its pads are not two numbers for each axis");
  for (std::size_t i = 0; i < dims.size(); ++i)
    dims[i] = pads ? dims[i] + (*pads)[2 * i] + (*pads)[2 * i + 1] : c.fresh("size");
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

void joined_cost(CostContext& c) {
  no_arithmetic(c);
  fused_activation(c);
}

// Tensors of one shape, side by side along a new axis.
Status pack_shape(ShapeContext& c) {
  const auto count = static_cast<std::int64_t>(c.input_count());
  const auto axis = c.axis(c.integer("axis", 0), c.rank(0) + 1);
  if (!axis) return failure(axis);
  Dims all;
  for (std::size_t i = 0; i < c.input_count() && c.rank(0) == 0; ++i)
    if (const auto item = c.scalar_of(i)) all.push_back(*item);
  if (count > 0 && all.size() == c.input_count()) {
    c.set_value(0, vector_value(c.dtype(0), all));
    return {};
  }
  Dims dims;
  for (std::size_t i = 0; i <= c.rank(0); ++i) {
    if (i == *axis) dims.push_back(count);
    if (i < c.rank(0)) dims.push_back(c.dims(0)[i]);
  }
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

Status unpack_shape(ShapeContext& c) {
  const auto axis = c.axis(c.integer("axis", 0), c.rank(0));
  if (!axis) return failure(axis);
  Dims dims;
  for (std::size_t i = 0; i < c.rank(0); ++i)
    if (i != *axis) dims.push_back(c.dims(0)[i]);
  for (std::size_t i = 0; i < c.output_count(); ++i) c.set(i, c.dtype(0), dims);
  return {};
}

// Blocks of the axes after the first become items of a batch, or the other way round. The second
// input has the size of a block along each of these axes, and the third what is padded before, or
// cut off after.
template <bool to_batch>
Status batch_blocks_shape(ShapeContext& c) {
  const auto blocks = c.integers_of(1), edges = c.integers_of(2);
  Dims dims = c.dims(0);
  if (!blocks || blocks->empty() || blocks->size() >= dims.size()) {
    c.set_unranked(0, c.dtype(0));
    return {};
  }
  for (std::size_t i = 0; i < blocks->size(); ++i) {
    const Expr& block = (*blocks)[i];
    const bool known =
        edges && edges->size() == 2 * blocks->size() && block.is_number() && block.value() > 0;
    if (!known) {
      dims[0] = c.fresh("batch");
      dims[i + 1] = c.fresh("size");
      continue;
    }
    const Expr edge = (*edges)[2 * i] + (*edges)[2 * i + 1];
    dims[i + 1] =
        to_batch ? floor_div(dims[i + 1] + edge, block.value()) : dims[i + 1] * block - edge;
    dims[0] = to_batch ? dims[0] * block : floor_div(dims[0], block.value());
  }
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

Status matrix_diag_shape(ShapeContext& c) {
  Dims dims = c.dims(0);
  if (dims.empty()) return c.error("its input needs an axis");
  dims.push_back(dims[dims.size() - 1]);
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

// Rows of zeros between elements: as many as the second input says, less one.
Status dilate_shape(ShapeContext& c) {
  const auto steps = c.integers_of(1);
  Dims dims = c.dims(0);
  for (std::size_t i = 0; i < dims.size(); ++i)
    dims[i] = steps && i < steps->size() ? (dims[i] - 1) * (*steps)[i] + 1 : c.fresh("size");
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

constexpr Example kTfliteToBatch[] = {
    {"f32[1,8,8,2], i32[2]={2,2}, i32[2,2]={0,0,2,2}", "", "f32[4,4,6,2]", {.macs = 0, .flops = 0}},
    {"f32[N,8,2], i32[1]={2}, i32[1,2]={1,1}", "", "f32[2·N,5,2]"}};
constexpr Example kTfliteFromBatch[] = {{"f32[4,4,6,2], i32[2]={2,2}, i32[2,2]={0,0,2,2}",
                                         "",
                                         "f32[1,8,8,2]",
                                         {.macs = 0, .flops = 0}}};
constexpr Example kTfliteReverseParts[] = {
    {"f32[2,6,3], i32[2]", "seq_dim=1 batch_dim=0", "f32[2,6,3]", {.macs = 0, .flops = 0}}};
constexpr Example kTfliteDiag[] = {{"f32[2,4]", "", "f32[2,4,4]", {.macs = 0, .flops = 0}}};
constexpr Example kTfliteSetDiag[] = {
    {"f32[2,4,4], f32[2,4]", "", "f32[2,4,4]", {.macs = 0, .flops = 0}}};
constexpr Example kTfliteDilate[] = {
    {"f32[3,4], i32[2]={2,1}, f32[]", "", "f32[5,4]", {.macs = 0, .flops = 0}}};
constexpr Example kTfliteReshape[] = {
    {"f32[1,7,7,64], i32[2]={1,-1}", "", "f32[1,3136]", {.macs = 0, .flops = 0}},
    {"f32[1,7,7,64]", "new_shape=49,-1", "f32[49,64]", {.macs = 0, .flops = 0}},
};
constexpr Example kTfliteTranspose[] = {
    {"f32[1,7,8,9], i32[4]={0,3,1,2}", "", "f32[1,9,7,8]", {.macs = 0, .flops = 0}}};
constexpr Example kTfliteSqueeze[] = {
    {"f32[1,7,1,64]", "squeeze_dims=2,", "f32[1,7,64]", {.macs = 0, .flops = 0}},
    {"f32[1,7,1,64]", "", "f32[7,64]"},
};
constexpr Example kTfliteExpand[] = {
    {"f32[7,64], i32[]={1}", "", "f32[7,1,64]", {.macs = 0, .flops = 0}}};
constexpr Example kTflitePad[] = {
    {"f32[1,8,8,3], i32[4,2]={0,0,1,1,1,2,0,0}", "", "f32[1,10,11,3]", {.macs = 0, .flops = 0}}};
constexpr Example kTfliteConcat[] = {
    {"f32[1,8,8,3], f32[1,8,8,5]", "axis=3", "f32[1,8,8,8]", {.macs = 0, .flops = 0}},
    {"f32[1,2], f32[1,2]", "axis=-1 activation=\"RELU\"", "f32[1,4]", {.macs = 0, .flops = 4}},
};
constexpr Example kTflitePack[] = {
    {"f32[2,3], f32[2,3]", "axis=1 values_count=2", "f32[2,2,3]", {.macs = 0, .flops = 0}},
    {"i32[]={4}, i32[]={5}", "axis=0 values_count=2", "i32[2]={4,5}"},
};
constexpr Example kTfliteUnpack[] = {
    {"f32[2,3]", "axis=0 num=2", "f32[3], f32[3]", {.macs = 0, .flops = 0}}};
constexpr Example kTfliteTile[] = {
    {"f32[2,3], i32[2]={2,1}", "", "f32[4,3]", {.macs = 0, .flops = 0}}};
constexpr Example kTfliteBroadcast[] = {
    {"f32[1,3], i32[2]={2,3}", "", "f32[2,3]", {.macs = 0, .flops = 0}}};
constexpr Example kTfliteReverse[] = {
    {"f32[2,3], i32[1]={1}", "", "f32[2,3]", {.macs = 0, .flops = 0}}};

constexpr OpRule tflite_view(OpRule rule) {
  rule.view = true;
  return rule;
}

constexpr OpRule kTfliteLayoutRules[] = {
    tflite_view(with_settings(
        tflite("RESHAPE", "Reshape", tflite_reshape, view_of_input, kTfliteReshape), slots(1))),
    tflite_view(
        tflite("SQUEEZE", "Squeeze", shape_of<without_axes>, view_of_input, kTfliteSqueeze)),
    tflite_view(with_settings(
        tflite("EXPAND_DIMS", "Unsqueeze", shape_of<with_axis>, view_of_input, kTfliteExpand),
        slots(1))),
    with_settings(
        tflite("TRANSPOSE", "Transpose", tflite_transpose, no_arithmetic, kTfliteTranspose),
        slots(1)),
    with_settings(tflite("PAD", "Pad", tflite_pad, no_arithmetic, kTflitePad), slots(1)),
    with_settings(tflite("PADV2", "Pad", tflite_pad, no_arithmetic, kTflitePad), slots(1, 2)),
    with_settings(tflite("MIRROR_PAD", "Pad", tflite_pad, no_arithmetic, kTflitePad), slots(1)),
    tflite("CONCATENATION", "Concat", shape_of_same<"Concat">, joined_cost, kTfliteConcat),
    tflite("PACK", "Concat", pack_shape, no_arithmetic, kTflitePack),
    tflite("UNPACK", "Split", unpack_shape, no_arithmetic, kTfliteUnpack),
    with_settings(tflite_same<"Tile">("TILE", kTfliteTile), slots(1)),
    with_settings(tflite_same<"Expand">("BROADCAST_TO", kTfliteBroadcast), slots(1)),
    with_settings(tflite("REVERSE_V2", "", like_input, no_arithmetic, kTfliteReverse), slots(1)),
    with_settings(tflite("REVERSE_SEQUENCE", "", like_input, no_arithmetic, kTfliteReverseParts),
                  slots(1)),
    with_settings(
        tflite("SPACE_TO_BATCH_ND", "", batch_blocks_shape<true>, no_arithmetic, kTfliteToBatch),
        slots(1, 2)),
    with_settings(
        tflite("BATCH_TO_SPACE_ND", "", batch_blocks_shape<false>, no_arithmetic, kTfliteFromBatch),
        slots(1, 2)),
    tflite("MATRIX_DIAG", "", matrix_diag_shape, no_arithmetic, kTfliteDiag),
    tflite("MATRIX_SET_DIAG", "", like_input, no_arithmetic, kTfliteSetDiag),
    with_settings(tflite("DILATE", "", dilate_shape, no_arithmetic, kTfliteDilate), slots(1, 2)),
};

}  // namespace

std::span<const OpRule> tflite_layout_rules() { return kTfliteLayoutRules; }

}  // namespace strata
