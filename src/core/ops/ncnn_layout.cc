// Layers of ncnn that join, cut, reorder and reduce blobs.
#include <array>

#include "ops/ncnn_rows.h"
#include "ops/sizes.h"

namespace strata {

namespace {

constexpr std::int64_t kNotStated = -233;
constexpr std::int64_t kMostAxes = 1000;

Status ncnn_concat_shape(ShapeContext& c) {
  Dims dims = c.dims(0);
  const auto axis = blob_axis(c.integer("axis", 0), dims.size());
  if (!axis) return c.error("it has no such axis");
  for (std::size_t i = 1; i < c.input_count(); ++i) {
    if (c.rank(i) != dims.size()) return c.error("its inputs have different numbers of axes");
    for (std::size_t k = 0; k < dims.size(); ++k)
      if (k == *axis)
        dims[k] += c.dims(i)[k];
      else if (clash(dims[k], c.dims(i)[k]))
        return c.error("its inputs have different sizes");
  }
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

// Sizes of the parts, or the places where they begin; -233 shares what is left evenly.
Status ncnn_slice_shape(ShapeContext& c) {
  const auto axis = blob_axis(c.integer("axis", 0), c.rank(0));
  if (!axis) return c.error("it has no such axis");
  const auto slices = c.integers("slices"), indices = c.integers("indices");
  const Expr whole = c.dims(0)[*axis];
  Expr used = 0;
  for (std::size_t i = 0; i < c.output_count(); ++i) {
    const auto rest = static_cast<std::int64_t>(c.output_count() - i);
    Expr size = floor_div(whole - used, rest);
    if (i < slices.size() && slices[i] != kNotStated) size = slices[i];
    if (!indices.empty()) {
      const Expr end = i >= indices.size() ? whole
                       : indices[i] < 0    ? whole + indices[i]
                                           : Expr(indices[i]);
      size = end - used;
    }
    used += size;
    Dims dims = c.dims(0);
    dims[*axis] = size;
    c.set(i, c.dtype(0), std::move(dims));
  }
  return {};
}

// The part from `start` to `end` of an axis; ends below 0 are counted from its end. An open size is
// taken to be large enough.
Expr cut(const Expr& whole, std::int64_t start, std::int64_t end) {
  const auto place = [&](std::int64_t at) {
    if (at < 0) return whole + at;
    return whole.is_number() ? min(whole, at) : Expr(at);
  };
  return (end == kNotStated ? whole : place(end)) - (start == kNotStated ? 0 : place(start));
}

struct Crop {
  std::string_view size, before, after;
};
// Attributes of an axis, from the innermost one.
constexpr Crop kWidth = {"outw", "woffset", "woffset2"}, kHeight = {"outh", "hoffset", "hoffset2"},
               kDepth = {"outd", "doffset", "doffset2"},
               kChannels = {"outc", "coffset", "coffset2"};

// The axes of a blob from the innermost one: width, height, depth, channels.
const Crop* crop_of(std::size_t back, std::size_t rank) {
  static constexpr const Crop* kThree[] = {&kWidth, &kHeight, &kChannels};
  static constexpr const Crop* kFour[] = {&kWidth, &kHeight, &kDepth, &kChannels};
  if (rank == 5) return back < 4 ? kFour[back] : nullptr;
  return back < 3 ? kThree[back] : nullptr;
}

// Starts and ends that are expressions of the inputs' sizes, of the axes that a third one lists.
Status crop_by_expressions(ShapeContext& c) {
  Dims dims = c.dims(0);
  const auto starts = ncnn_sizes(c, c.text("starts_expr", ""));
  const auto ends = ncnn_sizes(c, c.text("ends_expr", ""));
  const auto axes = ncnn_sizes(c, c.text("axes_expr", ""));
  if (!starts || !ends || starts->size() != ends->size()) {
    c.set_unranked(0, c.dtype(0));
    return {};
  }
  for (std::size_t i = 0; i < starts->size(); ++i) {
    const Expr& stated = axes && i < axes->size() ? (*axes)[i] : Expr(static_cast<std::int64_t>(i));
    const auto axis = blob_axis(stated.is_number() ? stated.value() : -kMostAxes, dims.size());
    if (!axis) return c.error("it has no such axis");
    const Expr &start = (*starts)[i], &end = (*ends)[i];
    if (start.is_number() && end.is_number())
      dims[*axis] = cut(dims[*axis], start.value(), end.value());
    else
      dims[*axis] = start.is_unknown() || end.is_unknown() ? c.fresh("size") : end - start;
  }
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

Status crop_shape(ShapeContext& c) {
  Dims dims = c.dims(0);
  if (c.has_attribute("starts_expr")) return crop_by_expressions(c);
  const auto starts = c.integers("starts"), ends = c.integers("ends"), axes = c.integers("axes");
  if (!starts.empty() && !ends.empty()) {
    for (std::size_t i = 0; i < starts.size() && i < ends.size(); ++i) {
      const auto axis =
          blob_axis(i < axes.size() ? axes[i] : static_cast<std::int64_t>(i), dims.size());
      if (!axis) return c.error("it has no such axis");
      dims[*axis] = cut(dims[*axis], starts[i], ends[i]);
    }
  } else {
    for (std::size_t back = 0; back + 1 < dims.size(); ++back) {
      const Crop* crop = crop_of(back, dims.size());
      if (crop == nullptr) return c.error("its input has too many axes");
      Expr& size = dims[dims.size() - 1 - back];
      const std::int64_t stated = c.integer(crop->size, 0);
      if (c.has(1) && back + 1 < c.rank(1))
        size = size_from_end(c.in(1), back);
      else if (stated > 0)
        size = stated;
      else if (stated != kNotStated || c.integer(crop->before, 0) >= 0)
        size = size - c.integer(crop->before, 0) - c.integer(crop->after, 0);
    }
  }
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

// Sizes are stated from the innermost axis: 0 is that of the input, -1 what is left over, -233 says
// that there is no such axis.
// A size of -1 takes what the others leave.
Status set_reshaped(ShapeContext& c, Dims sizes) {
  const Dims& in = c.dims(0);
  Expr stated = 1, all = 1;
  for (std::size_t i = 1; i < in.size(); ++i) all *= in[i];
  for (const Expr& size : sizes)
    if (!size.is(-1)) stated *= size;
  for (Expr& size : sizes)
    if (size.is(-1)) {
      const auto rest = exact_div(all, stated);
      size = rest ? *rest : c.fresh("size");
    }
  c.set(0, c.dtype(0), std::move(sizes));
  return {};
}

Status ncnn_reshape_shape(ShapeContext& c) {
  const Dims& in = c.dims(0);
  Dims sizes{1};
  if (c.has_attribute("shape_expr")) {
    const auto stated = ncnn_sizes(c, c.text("shape_expr", ""));
    if (!stated || stated->size() > 4) {
      c.set_unranked(0, c.dtype(0));
      return {};
    }
    // Width first.
    for (std::size_t i = stated->size(); i-- > 0;)
      sizes.push_back((*stated)[i].is_unknown() ? c.fresh("size") : (*stated)[i]);
    return set_reshaped(c, std::move(sizes));
  }
  if (c.has(1)) {
    c.set_unranked(0, c.dtype(0));
    return {};
  }
  const auto add = [&](std::string_view name, std::size_t back, bool outermost) {
    const std::int64_t stated = c.integer(name, kNotStated);
    if (stated == kNotStated) return;
    const bool is_there = outermost ? in.size() > 2 : back + 1 < in.size();
    if (stated != 0)
      sizes.push_back(stated);
    else
      sizes.push_back(!is_there ? Expr(1) : outermost ? in[1] : in[in.size() - 1 - back]);
  };
  add("c", 0, true);
  add("d", 2, false);
  add("h", 1, false);
  add("w", 0, false);
  return set_reshaped(c, std::move(sizes));
}

Status ncnn_flatten_shape(ShapeContext& c) {
  Expr all = 1;
  for (std::size_t i = 1; i < c.rank(0); ++i) all *= c.dims(0)[i];
  c.set(0, c.dtype(0), Dims{c.rank(0) == 0 ? Expr(1) : c.dims(0)[0], all});
  return {};
}

// Orders by their number; each names the input's axis that is the output's width, height, …
constexpr std::array<std::string_view, 6> kOrders = {"WHC", "HWC", "WCH", "CWH", "HCW", "CHW"};
constexpr std::array<std::string_view, 24> kDeepOrders = {
    "WHDC", "HWDC", "WDHC", "DWHC", "HDWC", "DHWC", "WHCD", "HWCD", "WCHD", "CWHD", "HCWD", "CHWD",
    "WDCH", "DWCH", "WCDH", "CWDH", "DCWH", "CDWH", "HDCW", "DHCW", "HCDW", "CHDW", "DCHW", "CDHW"};

Status ncnn_permute_shape(ShapeContext& c) {
  const Dims& in = c.dims(0);
  const auto number =
      static_cast<std::size_t>(std::clamp<std::int64_t>(c.integer("order_type", 0), 0, 23));
  std::string_view order;
  if (in.size() == 3) order = number == 1 ? "HW" : "WH";
  if (in.size() == 4 && number < kOrders.size()) order = kOrders[number];
  if (in.size() == 5) order = kDeepOrders[number];
  if (in.size() > 2 && order.empty()) return c.error("its order does not fit its input");
  const std::string_view axes = in.size() == 5 ? "WHDC" : "WHC";
  Dims dims = in;
  for (std::size_t i = 0; i < order.size(); ++i)
    dims[dims.size() - 1 - i] = in[in.size() - 1 - axes.find(order[i])];
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

template <bool to_space>
Status blocks_shape(ShapeContext& c) {
  if (c.rank(0) != 4) return c.error("its input needs three axes");
  const std::int64_t side = c.integer(to_space ? "upscale_factor" : "stride", 1);
  if (side < 1 || side > 1 << 20) return c.error("its factor is out of range");
  Dims dims = c.dims(0);
  dims[1] = to_space ? floor_div(dims[1], side * side) : dims[1] * (side * side);
  for (std::size_t i = 2; i < 4; ++i)
    dims[i] = to_space ? dims[i] * side : floor_div(dims[i], side);
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

Status padding_shape(ShapeContext& c) {
  Dims dims = c.dims(0);
  if (c.has(1)) {
    for (std::size_t i = 1; i < dims.size(); ++i) dims[i] = c.fresh("size");
    c.set(0, c.dtype(0), std::move(dims));
    return {};
  }
  const std::size_t last = dims.size() - 1;
  if (dims.size() > 1) dims[last] = dims[last] + c.integer("left", 0) + c.integer("right", 0);
  if (dims.size() > 2)
    dims[last - 1] = dims[last - 1] + c.integer("top", 0) + c.integer("bottom", 0);
  if (dims.size() > 3)
    dims[last - 2] = dims[last - 2] + c.integer("front", 0) + c.integer("behind", 0);
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

Status ncnn_tile_shape(ShapeContext& c) {
  Dims dims = c.dims(0);
  const auto repeats = c.integers("repeats");
  for (std::size_t back = 0; back < repeats.size(); ++back) {
    while (dims.size() < repeats.size() + 1) dims.insert(1, Expr(1));
    dims[dims.size() - 1 - back] *= repeats[repeats.size() - 1 - back];
  }
  if (repeats.empty()) {
    const auto axis = blob_axis(c.integer("axis", 0), dims.size());
    if (!axis) return c.error("it has no such axis");
    dims[*axis] *= c.integer("tiles", 1);
  }
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

std::vector<bool> named_axes(const NodeView& c, std::size_t rank, bool flags) {
  std::vector<bool> named(rank, false);
  for (const std::int64_t axis : c.integers("axes"))
    if (const auto place = blob_axis(axis, rank)) named[*place] = true;
  if (!flags || !c.integers("axes").empty()) return named;
  // Older files name axes one by one.
  constexpr std::pair<std::string_view, std::size_t> kFlags[] = {
      {"squeeze_w", 0}, {"squeeze_h", 1}, {"squeeze_d", 2}, {"squeeze_c", 3}};
  for (const auto& [name, back] : kFlags) {
    const bool is_channels = back == 3;
    if (c.integer(name, 0) == 0 || back + 1 >= rank + (is_channels ? 1 : 0)) continue;
    named[is_channels ? 1 : rank - 1 - back] = true;
  }
  return named;
}

Status ncnn_squeeze_shape(ShapeContext& c) {
  const auto named = named_axes(c, c.rank(0), true);
  Dims dims;
  for (std::size_t i = 0; i < c.rank(0); ++i)
    if (!named[i] || !c.dims(0)[i].is(1)) dims.push_back(c.dims(0)[i]);
  if (dims.size() < 2) dims.push_back(1);
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

Status ncnn_expand_shape(ShapeContext& c) {
  const std::size_t rank = c.rank(0) + c.integers("axes").size();
  if (rank > 6) return c.error("it would have too many axes");
  const auto named = named_axes(c, rank, false);
  Dims dims;
  std::size_t next = 0;
  for (std::size_t i = 0; i < rank; ++i)
    if (named[i])
      dims.push_back(1);
    else if (next < c.rank(0))
      dims.push_back(c.dims(0)[next++]);
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

Status reduction_shape(ShapeContext& c) {
  const bool all = c.integer("reduce_all", 1) != 0, keeps = c.integer("keepdims", 0) != 0;
  const auto named = named_axes(c, c.rank(0), false);
  Dims dims;
  for (std::size_t i = 0; i < c.rank(0); ++i) {
    const bool reduced = i > 0 && (all || named[i]);
    if (!reduced)
      dims.push_back(c.dims(0)[i]);
    else if (keeps)
      dims.push_back(1);
  }
  if (dims.size() < 2) dims.push_back(1);
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}
// 0 sum, 1 of magnitudes, 2 of squares, 3 mean, 4 and 5 extremes, 6 product, 7 and 8 norms, 9 and
// 10 logarithms.
void reduction_cost(CostContext& c) {
  const std::int64_t kind = c.integer("operation", 0);
  const Expr count = c.in_elements(0), outputs = c.out_elements(0);
  if (kind == 6)
    c.muls({{"inputs", count}});
  else
    c.adds({{"inputs", count}});
  if (kind == 1 || kind == 7) c.adds({{"magnitudes", count}});
  if (kind == 2 || kind == 8) c.muls({{"squares", count}});
  if (kind == 10) add_elementwise(c, "Exp", count);
  if (kind == 3 || kind >= 8) c.specials({{"outputs", outputs}});
  if (c.real("coeff", 1) != 1) c.muls({{"outputs times coefficient", outputs}});
}

Status argmax_shape(ShapeContext& c) {
  const std::int64_t count = c.integer("topk", 1);
  if (c.integer("out_max_val", 0) != 0)
    c.set(0, c.dtype(0), Dims{1, 2, count});
  else
    c.set(0, c.dtype(0), Dims{1, count});
  return {};
}
void argmax_cost(CostContext& c) { c.adds({{"inputs", c.in_elements(0)}}); }

constexpr Example kNcnnConcat[] = {
    {"f32[1,4,H,W], f32[1,3,H,W]", "axis=0", "f32[1,7,H,W]", {.macs = 0, .flops = 0}},
    {"f32[1,4,8], f32[1,4,2]", "axis=-1", "f32[1,4,10]"}};
constexpr Example kNcnnSlice[] = {
    {"f32[1,9,8,8]", "slices=2,-233,-233", "f32[1,2,8,8], f32[1,3,8,8], f32[1,4,8,8]", {.macs = 0}},
    {"f32[1,9,8]", "indices=4, axis=0", "f32[1,4,8], f32[1,5,8]"}};
constexpr Example kNcnnCrop[] = {
    {"f32[1,3,H,20]", "starts=4,4 ends=-4,-4 axes=-2,-1", "f32[1,3,H - 8,12]", {.macs = 0}},
    {"f32[1,3,20,20]", "starts_expr=\"1,//(0w,4)\" ends_expr=\"3,0w\" axes_expr=\"0,2\"",
     "f32[1,2,20,15]"},
    {"f32[1,3,20,20], f32[1,3,12,11]", "woffset=4 hoffset=4", "f32[1,3,12,11]"},
    {"f32[1,8,20,20]", "woffset=1 hoffset=2 outw=10 outh=11 outc=4", "f32[1,4,11,10]"}};
constexpr Example kNcnnReshape[] = {
    {"f32[1,16,7,7]", "w=-1", "f32[1,784]", {.macs = 0, .flops = 0}},
    {"f32[1,16,7,7]", "w=7 h=0 c=-1", "f32[1,16,7,7]"},
    // Widths stand first. Sizes come from either input.
    {"f32[1,49,16], f32[1,8,7,7]", "shape_expr=\"0w,1w,-1\"", "f32[1,7,7,16]"},
    {"f32[1,16,7,8]", "shape_expr=\"*(0w,0h),trunc(/(0c,3))\"", "f32[1,5,56]"},
};
constexpr Example kNcnnFlatten[] = {{"f32[1,16,7,7]", "", "f32[1,784]", {.macs = 0, .flops = 0}}};
constexpr Example kNcnnPermute[] = {
    {"f32[1,2,3,4]", "order_type=3", "f32[1,3,4,2]", {.macs = 0, .flops = 0}},
    {"f32[1,3,4]", "order_type=1", "f32[1,4,3]"},
    {"f32[1,2,3,4,5]", "order_type=1", "f32[1,2,3,5,4]"}};
constexpr Example kNcnnShuffle[] = {
    {"f32[1,12,8,8]", "upscale_factor=2", "f32[1,3,16,16]", {.macs = 0, .flops = 0}}};
constexpr Example kNcnnReorg[] = {
    {"f32[1,3,16,16]", "stride=2", "f32[1,12,8,8]", {.macs = 0, .flops = 0}}};
constexpr Example kNcnnPadding[] = {
    {"f32[1,3,8,8]", "top=1 bottom=2 left=3 right=4", "f32[1,3,11,15]", {.macs = 0, .flops = 0}}};
constexpr Example kNcnnTile[] = {
    {"f32[1,3,8]", "axis=0 tiles=2", "f32[1,6,8]", {.macs = 0, .flops = 0}},
    {"f32[1,8]", "repeats=2,3", "f32[1,2,24]"}};
constexpr Example kNcnnSqueeze[] = {
    {"f32[1,8,1,4]", "axes=1,", "f32[1,8,4]", {.macs = 0, .flops = 0}},
    {"f32[1,8,1,1]", "squeeze_w=1 squeeze_h=1", "f32[1,8]"}};
constexpr Example kNcnnExpand[] = {
    {"f32[1,8,4]", "axes=0,", "f32[1,1,8,4]", {.macs = 0, .flops = 0}}};
constexpr Example kNcnnMoved[] = {{"f32[1,8,4,4]", "", "f32[1,8,4,4]", {.macs = 0, .flops = 0}}};
constexpr Example kNcnnReduction[] = {
    {"f32[1,8,4,4]", "operation=3 reduce_all=0 axes=1,2", "f32[1,8]", {.macs = 0, .flops = 136}},
    {"f32[1,8,4,4]", "operation=0 reduce_all=0 axes=-1, keepdims=1", "f32[1,8,4,1]"}};
constexpr Example kNcnnCumulative[] = {
    {"f32[1,8,4]", "axis=0", "f32[1,8,4]", {.macs = 0, .flops = 32}}};
constexpr Example kNcnnArgMax[] = {{"f32[1,10]", "topk=3", "f32[1,3]", {.macs = 0}}};

constexpr OpRule ncnn_moves(std::string_view name, std::string_view like, ShapeRule shape,
                            std::span<const Example> examples) {
  return ncnn(name, like, shape, no_arithmetic, examples);
}
constexpr OpRule ncnn_view(std::string_view name, std::string_view like, ShapeRule shape,
                           std::span<const Example> examples) {
  OpRule rule = ncnn(name, like, shape, view_of_input, examples);
  rule.view = true;
  return rule;
}

constexpr OpRule kNcnnLayoutRules[] = {
    ncnn_moves("Concat", "Concat", ncnn_concat_shape, kNcnnConcat),
    ncnn_moves("Slice", "Split", ncnn_slice_shape, kNcnnSlice),
    ncnn_moves("Crop", "Slice", crop_shape, kNcnnCrop),
    ncnn_view("Reshape", "Reshape", ncnn_reshape_shape, kNcnnReshape),
    ncnn_view("Flatten", "Flatten", ncnn_flatten_shape, kNcnnFlatten),
    ncnn_view("Squeeze", "Squeeze", ncnn_squeeze_shape, kNcnnSqueeze),
    ncnn_view("ExpandDims", "Unsqueeze", ncnn_expand_shape, kNcnnExpand),
    ncnn_moves("Permute", "Transpose", ncnn_permute_shape, kNcnnPermute),
    ncnn_moves("PixelShuffle", "DepthToSpace", blocks_shape<true>, kNcnnShuffle),
    ncnn_moves("Reorg", "SpaceToDepth", blocks_shape<false>, kNcnnReorg),
    ncnn_moves("ShuffleChannel", "", like_input, kNcnnMoved),
    ncnn_moves("Flip", "", like_input, kNcnnMoved),
    ncnn_moves("Padding", "Pad", padding_shape, kNcnnPadding),
    ncnn_moves("Tile", "Tile", ncnn_tile_shape, kNcnnTile),
    ncnn_moves("Packing", "", like_input, kNcnnMoved),
    ncnn_moves("Cast", "Cast", like_input, kNcnnMoved),
    ncnn("Reduction", "", reduction_shape, reduction_cost, kNcnnReduction),
    ncnn("CumulativeSum", "CumSum", like_input, adds_per_output<1>, kNcnnCumulative),
    ncnn("ArgMax", "", argmax_shape, argmax_cost, kNcnnArgMax),
};

}  // namespace

std::span<const OpRule> ncnn_layout_rules() { return kNcnnLayoutRules; }

}  // namespace strata
