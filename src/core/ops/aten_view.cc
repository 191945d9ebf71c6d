// Views of PyTorch: results that are in the memory of the first input and move nothing.
#include "ops/aten_rows.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

std::size_t at_axis(std::int64_t axis, std::size_t rank) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

// Tells whether axes in this order leave the elements in order; axes of one element do not matter.
Strided order_of(const NodeView& c, std::span<const std::size_t> axes) {
  std::size_t last = 0;
  for (const std::size_t axis : axes) {
    if (axis >= c.rank(0)) return Strided::OutOfOrder;
    if (c.dims(0)[axis].is(1)) continue;
    if (axis < last) return Strided::OutOfOrder;
    last = axis;
  }
  return Strided::InOrder;
}

Strided permute_order(const NodeView& c) {
  InlineVector<std::size_t, 6> axes;
  for (const std::int64_t axis : c.integers("dims")) axes.push_back(at_axis(axis, c.rank(0)));
  return order_of(c, {axes.data(), axes.size()});
}

Strided exchanged(const NodeView& c, std::int64_t a, std::int64_t b) {
  InlineVector<std::size_t, 6> axes;
  for (std::size_t i = 0; i < c.rank(0); ++i) axes.push_back(i);
  const std::size_t first = at_axis(a, c.rank(0)), second = at_axis(b, c.rank(0));
  if (first >= axes.size() || second >= axes.size()) return Strided::OutOfOrder;
  std::swap(axes[first], axes[second]);
  return order_of(c, {axes.data(), axes.size()});
}
Strided transpose_order(const NodeView& c) {
  return exchanged(c, c.integer("dim0", 0), c.integer("dim1", 0));
}
Strided swap_order(const NodeView& c) {
  return exchanged(c, c.integer("axis0", 0), c.integer("axis1", 0));
}
Strided matrix_order(const NodeView& c) {
  return c.rank(0) < 2 ? Strided::InOrder : exchanged(c, -2, -1);
}
Strided moved_order(const NodeView& c) {
  return c.dims(0) == c.out(0).dims ? Strided::InOrder : Strided::OutOfOrder;
}

// One position along an axis, or a part of it.
Strided select_order(const NodeView& c) {
  return is_outermost(c.dims(0), c.integer("dim", 0)) ? Strided::InOrder : Strided::OutOfOrder;
}
Strided slice_order(const NodeView& c) {
  if (c.dims(0) == c.out(0).dims) return Strided::InOrder;
  return c.integer("step", 1) == 1 ? select_order(c) : Strided::OutOfOrder;
}
Strided scattered(const NodeView&) { return Strided::OutOfOrder; }

constexpr Example kView[] = {
    {"f32[2,3,4]", "size=2,12", "f32[2,12]", {.macs = 0, .flops = 0}},
    {"f32[N,3,4]", "", "f32[N,12]"},
};
constexpr Example kSame[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 0}}};
constexpr Example kFlatten[] = {
    {"f32[1,1280,1,1]", "start_dim=1 end_dim=-1", "f32[1,1280]", {.macs = 0, .flops = 0}}};
constexpr Example kSqueeze[] = {{"f32[1,3,1]", "dim=0", "f32[3,1]", {.macs = 0, .flops = 0}}};
constexpr Example kUnsqueeze[] = {{"f32[3]", "dim=0", "f32[1,3]", {.macs = 0, .flops = 0}}};
constexpr Example kExpand[] = {{"f32[3,1]", "size=2,3,6", "f32[2,3,6]", {.macs = 0, .flops = 0}}};
constexpr Example kPermute[] = {
    {"f32[2,3,4]", "dims=2,1,0", "f32[4,3,2]", {.macs = 0, .flops = 0}}};
constexpr Example kTranspose[] = {
    {"f32[2,3,4]", "dim0=1 dim1=2", "f32[2,4,3]", {.macs = 0, .flops = 0}}};
constexpr Example kMatrix[] = {{"f32[2,3]", "", "f32[3,2]", {.macs = 0, .flops = 0}}};
constexpr Example kSelect[] = {{"f32[2,3,4]", "dim=1 index=0", "f32[2,4]", {.flops = 0}}};
constexpr Example kSlice[] = {
    {"f32[20,10]", "dim=0 start=0 end=3 step=1", "f32[3,10]", {.macs = 0, .flops = 0}}};
constexpr Example kSplit[] = {
    {"f32[6,4]", "split_size=3 dim=0", "f32[3,4], f32[3,4]", {.macs = 0, .flops = 0}}};
constexpr Example kUnbind[] = {{"f32[2,3]", "dim=0", "f32[3], f32[3]", {.macs = 0, .flops = 0}}};
constexpr Example kDiagonal[] = {
    {"f32[3,3]", "offset=0 dim1=0 dim2=1", "f32[3]", {.macs = 0, .flops = 0}}};
constexpr Example kUnfold[] = {
    {"f32[2,8]", "dimension=1 size=4 step=2", "f32[2,3,4]", {.macs = 0, .flops = 0}}};

constexpr Traits kCopiesUnordered = {.copies_unordered = true};
constexpr Traits kFlattens = {.kind = LayerKind::Flatten, .copies_unordered = true};

constexpr OpRule view(OpRule rule) {
  rule.cost = view_of_input;
  rule.view = true;
  rule.passes_weights = true;
  return rule;
}
constexpr OpRule view_like(std::string_view name, std::string_view onnx,
                           std::span<const Example> examples, const Traits& traits = {}) {
  return view(aten_like(name, onnx, examples, traits));
}
constexpr OpRule strided_view(std::string_view name, std::string_view onnx,
                              std::span<const Example> examples,
                              Strided (*order)(const NodeView&)) {
  return view(aten_like(name, onnx, examples, {.strided = order}));
}
// Part of a tensor: parameters stay with the node that cuts them.
constexpr OpRule part_view(std::string_view name, std::string_view onnx,
                           std::span<const Example> examples, Strided (*order)(const NodeView&)) {
  OpRule rule = strided_view(name, onnx, examples, order);
  rule.passes_weights = false;
  return rule;
}

constexpr OpRule kAtenViewRules[] = {
    view_like("view", "Reshape", kView),
    view_like("_unsafe_view", "Reshape", kView),
    view_like("_reshape_alias", "Reshape", kView),  // of torch before 2.0
    view_like("view_as", "Reshape", kView),
    view_like("unflatten", "Reshape", kView),
    view_like("reshape", "Reshape", kView, kCopiesUnordered),
    view_like("reshape_as", "Reshape", kView, kCopiesUnordered),
    view_like("flatten", "Flatten", kFlatten, kFlattens),
    view_like("contiguous", "Identity", kSame, kCopiesUnordered),
    view_like("squeeze", "Squeeze", kSqueeze),
    view_like("unsqueeze", "Unsqueeze", kUnsqueeze),
    view_like("alias", "Identity", kSame),
    view_like("detach", "Identity", kSame),
    view_like("lift", "Identity", kSame),
    view_like("lift_fresh", "Identity", kSame),
    view_like("resolve_conj", "Identity", kSame),
    view_like("resolve_neg", "Identity", kSame),
    strided_view("expand", "Expand", kExpand, moved_order),
    strided_view("expand_as", "Expand", kExpand, moved_order),
    strided_view("broadcast_to", "Expand", kExpand, moved_order),
    strided_view("permute", "Transpose", kPermute, permute_order),
    strided_view("transpose", "Transpose", kTranspose, transpose_order),
    strided_view("swapaxes", "Transpose", kTranspose, swap_order),
    strided_view("swapdims", "Transpose", kTranspose, transpose_order),
    strided_view("t", "Transpose", kMatrix, matrix_order),
    strided_view("numpy_T", "Transpose", kMatrix, moved_order),
    strided_view("mT", "Transpose", kMatrix, matrix_order),
    strided_view("movedim", "Transpose", kPermute, moved_order),
    strided_view("moveaxis", "Transpose", kPermute, moved_order),
    part_view("select", "Slice", kSelect, select_order),
    part_view("slice", "Slice", kSlice, slice_order),
    part_view("narrow", "Slice", kSlice, slice_order),
    part_view("split", "Split", kSplit, select_order),
    part_view("split_with_sizes", "Split", kSplit, select_order),
    part_view("chunk", "Split", kSplit, select_order),
    part_view("tensor_split", "Split", kSplit, select_order),
    part_view("unsafe_split", "Split", kSplit, select_order),
    part_view("unsafe_split_with_sizes", "Split", kSplit, select_order),
    part_view("unsafe_chunk", "Split", kSplit, select_order),
    part_view("unbind", "Split", kUnbind, select_order),
    part_view("diagonal", "Slice", kDiagonal, scattered),
    part_view("unfold", "Slice", kUnfold, scattered),
    part_view("as_strided", "Slice", kSelect, scattered),
    part_view("view_as_real", "Reshape", kView, nullptr),
    part_view("view_as_complex", "Reshape", kView, nullptr),
    part_view("real", "Slice", kSame, scattered),
    part_view("imag", "Slice", kSame, scattered),
    part_view("_conj", "Identity", kSame, nullptr),
};

}  // namespace

std::span<const OpRule> aten_view_rules() { return kAtenViewRules; }

}  // namespace strata
