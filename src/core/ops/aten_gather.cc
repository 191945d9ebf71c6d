// Operators of PyTorch that look elements up, put them in places, or search them.
#include "ops/aten_rows.h"
#include "ops/registry.h"

namespace strata {

namespace {

// Reads what it returns, and the indices: all inputs but the first.
void lookup_cost(CostContext& c) {
  Expr read = bytes(c.out_elements(0), c.dtype(0));
  for (std::size_t i = 1; i < c.input_count(); ++i)
    if (c.has(i)) read += bytes(c.in_elements(i), c.dtype(i));
  c.reads(std::move(read));
}
// table, indices.
void embedding_cost(CostContext& c) { cost_as(c, "Gather"); }

// Rows of a table are added up, or compared; a mean divides. `mode`: 0 sum, 1 mean, 2 maximum.
void embedding_bag_cost(CostContext& c) {
  const Expr looked_up = c.in_elements(1) * (c.rank(0) == 2 ? c.dims(0)[1] : Expr::unknown());
  c.adds({{"elements of rows", looked_up}});
  if (c.has(3)) c.muls({{"elements times the row's weight", looked_up}});
  if (c.integer("mode", 0) == 1) c.specials({{"divisions, one an output", c.out_elements(0)}});
  c.reads(bytes(looked_up, c.dtype(0)) + bytes(c.in_elements(1), c.dtype(1)));
}

// table, indices: the length of every row that is looked up is compared with the greatest.
void renorm_cost(CostContext& c) {
  const Expr rows = c.in_elements(1);
  const Expr looked_up = rows * (c.rank(0) == 2 ? c.dims(0)[1] : Expr::unknown());
  if (number_of(c, "norm_type", 2) == 2)
    c.muls({{"elements of rows, squares", looked_up}});
  else
    c.specials({{"elements of rows, powers", looked_up}});
  c.adds({{"elements of rows, sums", looked_up}});
  c.specials({{"rows, roots", rows}});
  c.adds({{"rows, comparisons", rows}});
  c.at_least("rows that are too long are scaled, too");
}

// gradients of bags, indices, …: each goes to all rows of its bag, and a mean divides. `weights` is
// the input with the weights of rows.
template <std::size_t weights>
void bag_backward_cost(CostContext& c) {
  const Expr updates = c.in_elements(1) * (c.rank(0) == 2 ? c.dims(0)[1] : Expr::unknown());
  if (c.has(weights)) c.muls({{"elements times the row's weight", updates}});
  if (c.integer("mode", 0) == 1) c.specials({{"divisions, one an update", updates}});
  if (c.integer("sparse", 0) == 0) c.adds({{"updates", updates}});
}

// self, index, source: the updates are added, or combined as `reduce` says.
template <std::size_t source>
void added_cost(CostContext& c) {
  c.adds({{"updates", c.in_elements(source)}});
  if (number_of(c, "alpha", 1) != 1) c.muls({{"updates times alpha", c.in_elements(source)}});
}
void scatter_cost(CostContext& c) {
  const std::string_view how = c.text("reduce", "none");
  if (how == "none") return;
  const Expr updates = c.in_elements(c.has(2) ? 2 : 1);
  if (how == "prod" || how == "multiply")
    c.muls({{"updates", updates}});
  else
    c.adds({{"updates", updates}});
  if (how == "mean") c.specials({{"divisions, one an output", c.out_elements(0)}});
}
// self, indices, values.
void index_put_cost(CostContext& c) {
  if (c.integer("accumulate", 0) != 0 && c.input_count() > 1)
    c.adds({{"updates", c.in_elements(c.input_count() - 1)}});
}

void compared(CostContext& c) { c.adds({{"inputs", c.in_elements(0)}, {"comparisons each", 1}}); }
void sort_cost(CostContext& c) {
  compared(c);
  c.at_least("a sort is counted as one comparison per element; it needs more");
}
// Boundaries, values: a binary search needs a comparison for each halving.
void search_cost(CostContext& c) {
  c.adds({{"outputs, comparisons", c.out_elements(0)}});
  c.at_least("a search is counted as one comparison per value; it needs more");
}

constexpr Example kEmbedding[] = {
    {"f32[30522,768], i64[1,128]", "padding_idx=-1", "f32[1,128,768]", {.macs = 0, .flops = 0}}};
// 6 rows of 4 elements, in 2 bags.
constexpr Example kEmbeddingBag[] = {{"f32[10,4], i64[6], i64[2]",
                                      "mode=1",
                                      "f32[2,4], i64[6], i64[2], i64[2]",
                                      {.macs = 0, .flops = 24 + 8}}};
constexpr Example kEmbeddingBackward[] = {
    {"f32[6,4], i64[6]", "num_weights=10 padding_idx=-1", "f32[10,4]", {.macs = 0, .flops = 24}}};
// 6 rows of 4 elements: squares and sums, then a root and a comparison each.
constexpr Example kRenorm[] = {
    {"f32[10,4], i64[6]", "max_norm=1.0f norm_type=2.0f", "f32[10,4]", {.flops = 48 + 12}}};
constexpr Example kBagBackward[] = {{"f32[2,4], i64[6], i64[2], i64[6], i64[2], i64[2], _",
                                     "num_weights=10 mode=1 sparse=0",
                                     "f32[10,4]",
                                     {.macs = 0, .flops = 48}}};
constexpr Example kDenseBagBackward[] = {{"f32[2,4], i64[6], i64[6], i64[2], i64[2], _",
                                          "num_weights=10 mode=0",
                                          "f32[10,4]",
                                          {.macs = 0, .flops = 24}}};
constexpr Example kIndex[] = {
    {"f32[8,4], i64[3]", "indices=1", "f32[3,4]", {.macs = 0, .flops = 0}},
    {"f32[8,4], bool[8]", "indices=1", "f32[u0,4]"},
};
constexpr Example kAlong[] = {{"f32[8,4], i64[3]", "dim=0", "f32[3,4]", {.macs = 0, .flops = 0}}};
constexpr Example kGather[] = {
    {"f32[8,4], i64[3,4]", "dim=0", "f32[3,4]", {.macs = 0, .flops = 0}}};
constexpr Example kMasked[] = {{"f32[8,4], bool[8,4]", "", "f32[u0]", {.macs = 0, .flops = 0}}};
constexpr Example kOneHot[] = {{"i64[3]", "num_classes=5", "i64[3,5]", {.macs = 0, .flops = 0}}};
constexpr Example kScatter[] = {
    {"f32[3,3], i64[2,3], f32[2,3]", "dim=0", "f32[3,3]", {.macs = 0, .flops = 0}},
    {"f32[3,3], i64[2,3], f32[2,3]", "dim=0 reduce=\"add\"", "f32[3,3]", {.macs = 0, .flops = 6}},
};
constexpr Example kCopied[] = {
    {"f32[3,3], i64[2], f32[2,3]", "dim=0", "f32[3,3]", {.macs = 0, .flops = 0}}};
constexpr Example kScatterReduce[] = {
    {"f32[3,3], i64[2,3], f32[2,3]", "dim=0 reduce=\"sum\"", "f32[3,3]", {.macs = 0, .flops = 6}},
    {"f32[3,3], i64[2,3], f32[2,3]", "dim=0 reduce=\"mean\"", "f32[3,3]", {.flops = 6 + 9}},
};
constexpr Example kAdded[] = {
    {"f32[3,3], i64[2,3], f32[2,3]", "dim=0", "f32[3,3]", {.macs = 0, .flops = 6}}};
constexpr Example kPut[] = {
    {"f32[8,4], i64[3], f32[3,4]", "indices=1 accumulate=0", "f32[8,4]", {.macs = 0, .flops = 0}},
    {"f32[8,4], i64[3], f32[3,4]", "indices=1 accumulate=1", "f32[8,4]", {.macs = 0, .flops = 12}},
};
constexpr Example kPlaced[] = {
    {"f32[8,4], f32[4]", "dim=0 index=1", "f32[8,4]", {.macs = 0, .flops = 0}}};
constexpr Example kMaskedScatter[] = {
    {"f32[8,4], bool[8,4], f32[32]", "", "f32[8,4]", {.macs = 0, .flops = 0}}};
constexpr Example kTopK[] = {
    {"f32[3,4]", "k=3 dim=-1", "f32[3,3], i64[3,3]", {.macs = 0, .flops = 12}}};
constexpr Example kSort[] = {
    {"f32[3,4]", "dim=-1", "f32[3,4], i64[3,4]", {.macs = 0, .flops = 12}}};
constexpr Example kArgSort[] = {{"f32[3,4]", "dim=-1", "i64[3,4]", {.macs = 0, .flops = 12}}};
constexpr Example kNonZero[] = {{"f32[2,3,4]", "", "i64[u0,3]", {.macs = 0, .flops = 24}}};
constexpr Example kUnique[] = {{"i64[8]", "", "i64[u0], i64[8], i64[u0]", {.flops = 8}}};
constexpr Example kSearch[] = {{"f32[8], f32[3]", "", "i64[3]", {.macs = 0, .flops = 3}}};
constexpr Example kBuckets[] = {{"f32[3], f32[8]", "", "i64[3]", {.macs = 0, .flops = 3}}};
constexpr Example kCounts[] = {{"i64[8]", "minlength=4", "i64[u0]", {.macs = 0, .flops = 8}}};

constexpr OpRule kAtenGatherRules[] = {
    aten_as("embedding", "Gather", embedding_cost, kEmbedding),
    aten("embedding_bag", embedding_bag_cost, kEmbeddingBag),
    aten("_embedding_bag", embedding_bag_cost, kEmbeddingBag),
    aten("_embedding_bag_forward_only", embedding_bag_cost, kEmbeddingBag),
    aten(
        "embedding_dense_backward", [](CostContext& c) { added_cost<0>(c); }, kEmbeddingBackward),
    aten("embedding_renorm", renorm_cost, kRenorm),
    aten("_embedding_bag_backward", bag_backward_cost<6>, kBagBackward),
    aten("_embedding_bag_dense_backward", bag_backward_cost<5>, kDenseBagBackward),
    aten("index.Tensor", lookup_cost, kIndex, {.op = Op::GatherND}),
    aten("_unsafe_index.Tensor", lookup_cost, kIndex, {.op = Op::GatherND}),
    aten("index_select", lookup_cost, kAlong, {.op = Op::GatherND}),
    aten("gather", lookup_cost, kGather, {.op = Op::GatherND}),
    aten("take_along_dim", lookup_cost, kGather, {.op = Op::GatherND}),
    aten("take", lookup_cost, kGather, {.op = Op::GatherND}),
    aten("masked_select", lookup_cost, kMasked),
    aten("one_hot", no_arithmetic, kOneHot),
    aten("scatter", scatter_cost, kScatter),
    aten("scatter_reduce", scatter_cost, kScatterReduce),
    aten("scatter_add", added_cost<2>, kAdded),
    aten("index_add", added_cost<2>, kAdded),
    aten("index_put", index_put_cost, kPut),
    aten("_unsafe_index_put", index_put_cost, kPut),
    aten("index_copy", no_arithmetic, kCopied),
    aten("index_fill", no_arithmetic, kAlong),
    aten("masked_scatter", no_arithmetic, kMaskedScatter),
    aten("masked_scatter_backward", no_arithmetic, kMasked),
    aten("select_scatter", no_arithmetic, kPlaced),
    aten("slice_scatter", no_arithmetic, kPlaced),
    aten("diagonal_scatter", no_arithmetic, kPlaced),
    aten("as_strided_scatter", no_arithmetic, kPlaced),
    aten_like("topk", "TopK", kTopK),
    aten("kthvalue", sort_cost, kTopK),
    aten("sort", sort_cost, kSort),
    aten("msort", sort_cost, kArgSort),
    aten("argsort", sort_cost, kArgSort),
    aten_like("nonzero", "NonZero", kNonZero),
    aten_like("nonzero_numpy", "NonZero", kNonZero),
    aten_like("nonzero_static", "NonZero", kNonZero),
    aten_like("argwhere", "NonZero", kNonZero),
    aten_like("where", "NonZero", kNonZero),
    aten_like("_unique2", "Unique", kUnique),
    aten_like("unique_consecutive", "Unique", kUnique),
    aten_like("unique_dim", "Unique", kUnique),
    aten("searchsorted", search_cost, kSearch),
    aten("bucketize", search_cost, kBuckets),
    aten("isin", search_cost, kBuckets),
    aten("bincount", compared, kCounts),
    aten("histc", compared, kCounts),
};

}  // namespace

std::span<const OpRule> aten_gather_rules() { return kAtenGatherRules; }

}  // namespace strata
