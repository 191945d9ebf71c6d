// ONNX Runtime's own versions of operators that ONNX also has, and operators that move, look up,
// hash and transform tensors.
#include <algorithm>

#include <fmt/format.h>

#include "ops/common.h"
#include "ops/elements.h"
#include "ops/interpolate.h"
#include "ops/part.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// The standard operator of the same name on the same inputs.
Part namesake(const NodeView& c) {
  Part part{c.node().op, {}, c.node().attributes};
  for (std::size_t i = 0; i < c.input_count(); ++i) part.inputs.push_back(input_of(c, i));
  return part;
}

Status set_first_output(ShapeContext& c, const Part& part) {
  auto outputs = outputs_of(c, part);
  if (!outputs) return failure(outputs);
  set_output(c, 0, outputs->front());
  return {};
}

Status like_namesake(ShapeContext& c) { return set_first_output(c, namesake(c)); }
void namesake_cost(CostContext& c) { add_work(c, namesake(c), {{c.out(0)}}); }

// Looks up parts of input 0: reads what it returns, not the whole table.
void lookup_cost(CostContext& c) {
  c.reads(bytes(c.out_elements(0), c.dtype(0)) + bytes(c.in_elements(1), c.dtype(1)));
}

Status embedding(ShapeContext& c) {
  return set_first_output(c, {"Gather", {input_of(c, 0), input_of(c, 1)}});
}

// Start, limit and, unless it is 1, the step.
Status range(ShapeContext& c) {
  Part part{"Range", {input_of(c, 0), input_of(c, 1), input_of(c, 2)}};
  if (!c.has(2)) {
    part.inputs[2] = tensor_of(c.dtype(0), {});
    part.inputs[2].value = c.host().model().keep(scalar_value(c.dtype(0), std::int64_t{1}));
  }
  return set_first_output(c, part);
}

// The values in order of first appearance, the index of each element, and the counts.
Status unique(ShapeContext& c) {
  if (c.rank(0) != 1) return c.error("its input must have one axis");
  static constexpr Attribute kUnsorted[] = {{"sorted", std::int64_t{0}}};
  auto outputs = outputs_of(c, {"Unique", {input_of(c, 0)}, kUnsorted, kPartOpset, 4});
  if (!outputs) return failure(outputs);
  set_output(c, 0, (*outputs)[0]);
  c.set(1, DType::I64, c.dims(0));
  set_output(c, 2, (*outputs)[3]);
  return {};
}

void unique_cost(CostContext& c) { add_work(c, {"Unique", {input_of(c, 0)}}, {{c.out(0)}}); }

Status expand_dims(ShapeContext& c) {
  const auto known = c.scalar_of(1);
  if (!known || !known->is_number()) {
    set_fresh(c, 0, c.dtype(0), Expr(static_cast<std::int64_t>(c.rank(0)) + 1), "size");
    return {};
  }
  const std::int64_t axis[] = {known->value()};
  const Attribute axes[] = {{"axes", std::span<const std::int64_t>(axis)}};
  return set_first_output(c, {"Unsqueeze", {input_of(c, 0)}, axes, 11});
}

Status crop_and_resize(ShapeContext& c) {
  if (c.rank(0) != 4 || c.rank(1) != 2)
    return c.error("its image must be N × C × H × W and its regions a matrix");
  const auto size = c.integers_of(3);
  const auto along = [&](std::size_t i) {
    const bool known = size && size->size() == 2 && !(*size)[i].is_unknown();
    return known ? (*size)[i] : c.fresh(i == 0 ? "height" : "width");
  };
  const Expr height = along(0), width = along(1);
  c.set(0, c.dtype(0), {c.dims(1)[0], c.dims(0)[1], height, width});
  return {};
}

void crop_and_resize_cost(CostContext& c) { interpolate(c, interpolation_of(c, "bilinear"), 2); }

// All slices of `size` along one axis, `step` apart, along a new last axis.
Status unfold(ShapeContext& c) {
  const auto axis = c.axis(c.integer("dim", -1), c.rank(0));
  if (!axis) return failure(axis);
  const std::int64_t size = c.integer("size", 0), step = c.integer("step", 1);
  if (size < 1 || step < 1) return c.error("attributes size and step must be above 0");
  Dims dims = c.dims(0);
  dims[*axis] = floor_div(dims[*axis] - size, step) + 1;
  dims.push_back(size);
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

// The last axis is a signal of length n; n/2 + 1 complex values of the symmetric spectrum are kept.
// If signal_ndim is above 1, the axes before it are transformed, too.
Status real_fft(ShapeContext& c) {
  if (c.rank(0) < 1) return c.error("its input needs at least one axis");
  Dims dims = c.dims(0);
  dims.back() = floor_div(dims.back(), 2) + 1;
  dims.push_back(2);
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

Status inverse_fft(ShapeContext& c) {
  if (c.rank(0) < 2) return c.error("its input needs at least 2 axes");
  Dims dims = c.dims(0);
  dims.pop_back();
  dims.back() = (dims.back() - 1) * 2;
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

// `spectrum` is the complex side, `signal` the real one.
void fft_cost(CostContext& c, const TypeInfo& spectrum, TypeInfo signal, bool inverse) {
  signal.dims.push_back(1);
  const auto axes = static_cast<std::int64_t>(spectrum.dims.size()) - 1;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(c.integer("signal_ndim", 1), axes); ++i) {
    const Attribute attributes[] = {{"axis", axes - 1 - i},
                                    {"onesided", std::int64_t{i == 0}},
                                    {"inverse", std::int64_t{inverse}}};
    const TypeInfo& from = i == 0 && !inverse ? signal : spectrum;
    add_work(c, {"DFT", {tensor_of(from)}, attributes}, {{i == 0 && inverse ? signal : spectrum}});
  }
}
void real_fft_cost(CostContext& c) { fft_cost(c, c.out(0), c.in(0), false); }
void inverse_fft_cost(CostContext& c) { fft_cost(c, c.in(0), c.out(0), true); }

Status inverse(ShapeContext& c) {
  const std::size_t rank = c.rank(0);
  if (rank < 2 || clash(c.dims(0)[rank - 1], c.dims(0)[rank - 2]))
    return c.error("its input must be square matrices");
  return like_input(c);
}

// Gauss-Jordan: for each of n rows, n quotients, and (n - 1)·n products and differences.
void inverse_cost(CostContext& c) {
  const Expr n = size_from_end(c.in(0), 0);
  const Expr rows = share_of(c.in_elements(0), n);
  c.specials({{"rows", rows}, {"quotients", n}});
  c.muls({{"rows", rows}, {"products", (n - 1) * n}});
  c.adds({{"rows", rows}, {"differences", (n - 1) * n}});
}

// Splits each string into words along a new last axis.
Status tokenizer(ShapeContext& c) {
  Dims dims = c.dims(0);
  dims.push_back(c.fresh("words"));
  c.set(0, DType::String, std::move(dims));
  return {};
}

Status hash(ShapeContext& c) {
  c.set(0, c.integer("positive", 1) != 0 ? DType::U32 : DType::I32, c.dims(0));
  return {};
}

Status all_finite(ShapeContext& c) {
  c.set(0, DType::Bool, {});
  return {};
}

void all_finite_cost(CostContext& c) {
  for (std::size_t i = 0; i < c.input_count(); ++i)
    if (c.has(i)) c.adds({{"elements", c.in_elements(i)}, {"comparisons", 1}});
}

Status time_warping(ShapeContext& c) {
  c.set(0, DType::I32, {2, c.fresh("path")});
  return {};
}

// The smallest of three neighbours and a sum, per cell.
void time_warping_cost(CostContext& c) { c.adds({{"cells", c.in_elements(0)}, {"operations", 3}}); }

// Hashes of the last n tokens, for n from 2 on, several for each n. Packed sequences follow one
// another; input 3 then says where each starts.
Status ngram_hashes(ShapeContext& c) {
  if (c.rank(0) < 1) return c.error("its input needs at least one axis");
  const Expr orders = Expr(c.integer("max_ngram_size", 2)) - 1;
  Dims dims = c.dims(0);
  dims.push_back(orders * c.integer("n_head_per_ngram", 1));
  c.set(0, c.dtype(0), std::move(dims));
  const bool is_packed = c.node().op == "VarlenNGramHashMapping";
  const Expr batch = is_packed ? size_at(c.in(3), 0) - 1 : c.dims(0)[0];
  c.set(1, c.dtype(0), {batch, orders});
  c.set(2, DType::I32, {batch, orders});
  return {};
}

void ngram_hashes_cost(CostContext& c) {
  c.muls({{"tokens", c.in_elements(0)}, {"factors", c.integer("max_ngram_size", 2)}});
  c.specials({{"hashes", c.out_elements(0)}, {"remainder", 1}});
}

constexpr Example kTrilu[] = {{"f32[3,4,4]", "upper=0", "f32[3,4,4]", {.flops = 0}}};
constexpr Example kGatherNd[] = {
    {"f32[2,2,2], i64[2,2]", "", "f32[2,2]", {.flops = 0}},
    {"i64[2,2]={0,1,2,3}, i64[2,2]={0,0,1,1}", "", "i64[2]={0,3}"},
};
constexpr Example kPad[] = {
    {"f32[3,2], i64[4]={0,2,0,0}", "", "f32[3,4]", {.flops = 0}},
    {"f32[3,2], i64[1,4]={0,2,0,0}", "", "f32[3,4]"},
};
constexpr Example kGridSample[] = {{"f32[1,3,8,8], f32[1,4,5,2]", "", "f32[1,3,4,5]"}};
constexpr Example kEmbedding[] = {{"f32[50000,512], i64[2,10]", "", "f32[2,10,512]", {.flops = 0}}};
constexpr Example kRange[] = {
    {"i64[]={3}, i64[]={9}, i64[]={2}", "", "i64[3]={3,5,7}", {.flops = 3}},
    {"i64[1]={0}, i64[1]={3}", "", "i64[3]={0,1,2}"},
    {"i64[]={0}, i64[]={N}", "", "i64[N]"},
};
constexpr Example kUnique[] = {
    {"i64[6]={2,1,1,3,4,3}", "", "i64[4]={2,1,3,4}, i64[6], i64[4]"},
    {"f32[N]", "", "f32[unique], i64[N], i64[unique]"},
};
constexpr Example kExpandDims[] = {
    {"f32[3,4], i32[]={1}", "", "f32[3,1,4]", {.flops = 0}},
    {"f32[3,4], i32[]={-1}", "", "f32[3,4,1]"},
    {"i64[2]={5,6}, i32[]={0}", "", "i64[1,2]={5,6}"},
};
// 3·8·14·14 outputs of 4 products and 3 sums.
constexpr Example kCrop[] = {
    {"f32[1,8,64,64], f32[3,4], i32[3], i32[2]={14,14}", "", "f32[3,8,14,14]", {.flops = 4704 * 7}},
    {"f32[1,8,64,64], f32[R,4], i32[R], i32[2]", "", "f32[R,8,height,width]"},
};
constexpr Example kUnfold[] = {
    {"f32[2,10]", "dim=-1 size=4 step=3", "f32[2,3,4]", {.flops = 0}},
};
// A real signal of 8: 6 butterflies of 10 operations.
constexpr Example kRealFft[] = {
    {"f32[1,8]", "signal_ndim=1 onesided=1", "f32[1,5,2]", {.flops = 60}},
};
constexpr Example kInverseFft[] = {
    {"f32[1,5,2]", "signal_ndim=1 onesided=1", "f32[1,8]", {.flops = 60}},
};
// Three rows: 3 quotients, 6 products and 6 differences each.
constexpr Example kInverse[] = {{"f32[3,3]", "", "f32[3,3]", {.macs = 0, .flops = 45}}};
constexpr Example kTokenizer[] = {
    {"string[N,C]", "mark=0 mincharnum=1", "string[N,C,words]", {.flops = 0}},
};
constexpr Example kHash[] = {
    {"i32[3,4]", "", "u32[3,4]", {.flops = 12}},
    {"string[3]", "positive=0", "i32[3]"},
};
constexpr Example kAllFinite[] = {{"f32[3,4], f16[5]", "", "bool[]", {.flops = 17}}};
constexpr Example kWarping[] = {{"f32[10,20]", "", "i32[2,path]", {.flops = 600}}};
constexpr Example kNgrams[] = {
    {"i64[2,10], i64[3], i64[8]",
     "max_ngram_size=3 n_head_per_ngram=4",
     "i64[2,10,8], i64[2,2]",
     {.flops = 60 + 160}},
};
constexpr Example kPackedNgrams[] = {
    {"i64[20], i64[3], i64[8], i32[4]", "max_ngram_size=3 n_head_per_ngram=4",
     "i64[20,8], i64[3,2]"},
};

constexpr OpRule row(std::string_view name, ShapeRule shape, CostRule cost,
                     std::span<const Example> examples, std::uint32_t settings = 0) {
  return {.name = name,
          .domain = kMicrosoft,
          .shape = shape,
          .cost = cost,
          .examples = examples,
          .settings = settings};
}

constexpr OpRule view(OpRule rule) {
  rule.view = true;
  rule.passes_weights = true;
  return rule;
}

constexpr OpRule kMicrosoftTensorRules[] = {
    row("Trilu", like_namesake, namesake_cost, kTrilu, slots(1)),
    with_traits(row("GatherND", like_namesake, lookup_cost, kGatherNd, slots(1)),
                {.op = Op::GatherND}),
    row("Pad", like_namesake, namesake_cost, kPad, slots(1, 2)),
    row("GridSample", like_namesake, namesake_cost, kGridSample),
    row("TorchEmbedding", embedding, lookup_cost, kEmbedding, slots(1, 2, 3)),
    row("Range", range, adds_per_output<1>, kRange, slots(0, 1, 2)),
    row("Unique", unique, unique_cost, kUnique),
    view(row("ExpandDims", expand_dims, view_of_input, kExpandDims, slots(1))),
    row("CropAndResize", crop_and_resize, crop_and_resize_cost, kCrop, slots(2, 3)),
    row("UnfoldTensor", unfold, no_arithmetic, kUnfold),
    row("Rfft", real_fft, real_fft_cost, kRealFft),
    row("Irfft", inverse_fft, inverse_fft_cost, kInverseFft),
    row("Inverse", inverse, inverse_cost, kInverse),
    row("Tokenizer", tokenizer, no_arithmetic, kTokenizer),
    row("MurmurHash3", hash, specials_per_output<1>, kHash),
    row("IsAllFinite", all_finite, all_finite_cost, kAllFinite),
    row("DynamicTimeWarping", time_warping, time_warping_cost, kWarping),
    row("NGramHashMapping", ngram_hashes, ngram_hashes_cost, kNgrams, slots(1, 2, 4, 5)),
    row("VarlenNGramHashMapping", ngram_hashes, ngram_hashes_cost, kPackedNgrams,
        slots(1, 2, 3, 5, 6)),
};

}  // namespace

std::span<const OpRule> microsoft_tensor_rules() { return kMicrosoftTensorRules; }

}  // namespace strata
