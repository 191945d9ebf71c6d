// Operators of PyTorch that copy, join, repeat, pad, convert or drop elements, and compute nothing
// when a network is used.
#include "ops/aten_rows.h"
#include "ops/registry.h"

namespace strata {

namespace {

// A conversion to the type that the input has is not a copy.
void to_cost(CostContext& c) {
  if (c.dtype(0) == c.out(0).dtype) c.moves_nothing();
}

// In torch, it then returns its input itself.
Strided to_order(const NodeView& c) {
  const bool same = c.dtype(0) == c.out(0).dtype && c.integer("copy", 0) == 0;
  return same ? Strided::InOrder : Strided::No;
}

// In training, a random number, a comparison and a product for each element.
void dropout(CostContext& c, bool training) {
  if (training)
    work_per_output<1, 1, 1>(c);
  else
    c.moves_nothing();
}
void dropout_cost(CostContext& c) { dropout(c, c.integer("train", 0) != 0); }
void native_dropout_cost(CostContext& c) { dropout(c, c.integer("train", 1) != 0); }

// Reads the part that it returns.
void part_cost(CostContext& c) { c.reads(bytes(c.out_elements(0), c.dtype(0))); }

constexpr Example kCopy[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 0}}};
constexpr Example kCast[] = {{"f32[2,3]", "", "f16[2,3]", {.macs = 0, .flops = 0}}};
constexpr Example kSource[] = {{"f32[2,3], f32[3]", "", "f32[2,3]", {.macs = 0, .flops = 0}}};
constexpr Example kReshaped[] = {{"f32[2,3]", "", "f32[3,2]", {.macs = 0, .flops = 0}}};
constexpr Example kPart[] = {{"f32[2,3,4]", "dim=1", "f32[2,4]", {.macs = 0, .flops = 0}}};
// Two samples with 3 and 1 of 3 steps.
constexpr Example kPacked[] = {
    {"f32[3,2,5], i64[2]", "batch_first=0", "f32[4,5], i64[3]", {.flops = 0}}};
constexpr Example kParts[] = {{"f32[6,4]", "dim=0", "f32[3,4], f32[3,4]", {.flops = 0}}};
constexpr Example kCat[] = {
    {"f32[2,3], f32[2,5]", "tensors=2 dim=1", "f32[2,8]", {.macs = 0, .flops = 0}},
    {"f32[N,3], f32[M,3]", "tensors=2 dim=0", "f32[M + N,3]"},
};
constexpr Example kStack[] = {
    {"f32[3], f32[3]", "tensors=2 dim=0", "f32[2,3]", {.macs = 0, .flops = 0}}};
constexpr Example kRepeat[] = {{"f32[2,3]", "repeats=2,2", "f32[4,6]", {.macs = 0, .flops = 0}}};
constexpr Example kGrid[] = {
    {"f32[3], f32[4]", "tensors=2", "f32[3,4], f32[3,4]", {.macs = 0, .flops = 0}}};
constexpr Example kPad[] = {
    {"f32[1,3,8,8]", "pad=1,1,1,1", "f32[1,3,10,10]", {.macs = 0, .flops = 0}}};
constexpr Example kSquare[] = {{"f32[3,3]", "diagonal=0", "f32[3,3]", {.macs = 0, .flops = 0}}};
constexpr Example kDiag[] = {{"f32[3]", "", "f32[3,3]", {.macs = 0, .flops = 0}}};
constexpr Example kShuffle[] = {
    {"f32[1,8,2,2]", "upscale_factor=2", "f32[1,2,4,4]", {.macs = 0, .flops = 0}}};
constexpr Example kUnshuffle[] = {
    {"f32[1,2,4,4]", "downscale_factor=2", "f32[1,8,2,2]", {.macs = 0, .flops = 0}}};
constexpr Example kComplex[] = {{"f32[2], f32[2]", "", "c64[2]", {.macs = 0, .flops = 0}}};
constexpr Example kItem[] = {{"f32[1]", "", "f32[]", {.macs = 0, .flops = 0}}};
constexpr Example kNothing[] = {{"f32[2,3]", "", "", {.macs = 0, .flops = 0}}};

constexpr Example kDropout[] = {
    {"f32[2,3]", "p=0.5f train=0", "f32[2,3]", {.macs = 0, .flops = 0}},
    {"f32[2,3]", "p=0.5f train=1", "f32[2,3]", {.macs = 0, .flops = 18}},
};
constexpr Example kNativeDropout[] = {
    {"f32[2,3]", "p=0.5f train=1", "f32[2,3], bool[2,3]", {.macs = 0, .flops = 18}},
};

constexpr OpRule copy(std::string_view name, std::span<const Example> examples) {
  return aten(name, no_arithmetic, examples);
}
// A copy, perhaps in another type, through which parameters pass.
constexpr OpRule passing(OpRule rule) {
  rule.passes_weights = true;
  return rule;
}
// Asks about a tensor without reading its elements.
constexpr OpRule question(std::string_view name) { return aten(name, view_of_input, kNothing); }

constexpr OpRule shared(OpRule rule) {
  rule.view = true;
  return rule;
}

constexpr OpRule kAtenLayoutRules[] = {
    shared(aten_as("dropout", "Dropout", dropout_cost, kDropout)),
    shared(aten_as("feature_dropout", "Dropout", dropout_cost, kDropout)),
    shared(aten_as("alpha_dropout", "Dropout", dropout_cost, kDropout)),
    shared(aten_as("feature_alpha_dropout", "Dropout", dropout_cost, kDropout)),
    aten_as("native_dropout", "Dropout", native_dropout_cost, kNativeDropout),
    passing(copy("clone", kCopy)),
    passing(copy("lift_fresh_copy", kCopy)),
    passing(copy("alias_copy", kCopy)),
    passing(copy("detach_copy", kCopy)),
    passing(aten_like("_to_copy", "Cast", kCast)),
    passing(aten_as("to", "Cast", to_cost, kCast, {.strided = to_order})),
    passing(aten_as("type_as", "Cast", to_cost, kCast, {.strided = to_order})),
    copy("copy", kSource),
    passing(copy("permute_copy", kReshaped)),
    passing(copy("transpose_copy", kReshaped)),
    passing(copy("t_copy", kReshaped)),
    passing(copy("view_copy", kReshaped)),
    passing(copy("squeeze_copy", kReshaped)),
    passing(copy("unsqueeze_copy", kReshaped)),
    copy("expand_copy", kRepeat),
    copy("view_as_real_copy", kReshaped),
    copy("view_as_complex_copy", kReshaped),
    aten("select_copy", part_cost, kPart),
    aten("slice_copy", part_cost, kPart),
    aten("diagonal_copy", part_cost, kPart),
    aten("unfold_copy", part_cost, kPart),
    aten("as_strided_copy", part_cost, kPart),
    aten("_pack_padded_sequence", part_cost, kPacked),
    copy("split_copy", kParts),
    copy("split_with_sizes_copy", kParts),
    copy("unbind_copy", kParts),
    aten_like("cat", "Concat", kCat),
    aten_like("concat", "Concat", kCat),
    aten_like("concatenate", "Concat", kCat),
    aten_like("hstack", "Concat", kCat),
    aten_like("vstack", "Concat", kCat),
    aten_like("column_stack", "Concat", kCat),
    aten_like("stack", "Concat", kStack),
    aten_like("repeat", "Tile", kRepeat),
    aten_like("tile", "Tile", kRepeat),
    copy("repeat_interleave", kRepeat),
    copy("roll", kCopy),
    copy("flip", kCopy),
    copy("fliplr", kCopy),
    copy("flipud", kCopy),
    copy("rot90", kReshaped),
    copy("meshgrid", kGrid),
    copy("broadcast_tensors", kGrid),
    aten_like("pixel_shuffle", "DepthToSpace", kShuffle),
    aten_like("pixel_unshuffle", "SpaceToDepth", kUnshuffle),
    copy("channel_shuffle", kCopy),
    copy("native_channel_shuffle", kCopy),
    aten_like("tril", "Trilu", kSquare),
    aten_like("triu", "Trilu", kSquare),
    copy("diag", kDiag),
    copy("diag_embed", kDiag),
    aten_like("pad", "Pad", kPad),
    aten_like("_pad_enum", "Pad", kPad),
    aten_like("constant_pad_nd", "Pad", kPad),
    aten_like("reflection_pad1d", "Pad", kPad),
    aten_like("reflection_pad2d", "Pad", kPad),
    aten_like("reflection_pad3d", "Pad", kPad),
    aten_like("replication_pad1d", "Pad", kPad),
    aten_like("replication_pad2d", "Pad", kPad),
    aten_like("replication_pad3d", "Pad", kPad),
    copy("complex", kComplex),
    copy("resize", kReshaped),
    copy("resize_as", kReshaped),
    copy("_jagged_to_padded_dense_forward", kReshaped),
    copy("_padded_dense_to_jagged_forward", kReshaped),
    copy("item", kItem),
    copy("_local_scalar_dense", kItem),
    question("_assert_async"),
    question("_assert_tensor_metadata"),
    question("sym_is_contiguous"),
    question("sym_numel"),
    question("sym_size"),
    question("sym_storage_offset"),
    question("sym_stride"),
};

}  // namespace

std::span<const OpRule> aten_layout_rules() { return kAtenLayoutRules; }

}  // namespace strata
