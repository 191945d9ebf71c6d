// Products of matrices of ncnn, and attention.
#include "ops/conv.h"
#include "ops/ncnn_rows.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// Weights are [outputs, inputs]. Rows of a blob with two axes are multiplied one by one if they
// have as many elements as the weights take; anything else is one row.
Status inner_product_shape(ShapeContext& c) {
  if (c.rank(1) != 2) return c.error("its weights need two axes");
  const Dims& data = c.dims(0);
  const Expr inputs = c.dims(1)[1];
  if (data.size() == 3 && data[2] == inputs) {
    c.set(0, c.dtype(0), Dims{data[0], data[1], c.dims(1)[0]});
    return {};
  }
  Expr all = 1;
  for (std::size_t i = 1; i < data.size(); ++i) all *= data[i];
  if (clash(all, inputs)) return c.error("its weights do not fit the size of its input");
  c.set(0, c.dtype(0), Dims{data.empty() ? Expr(1) : data[0], c.dims(1)[0]});
  return {};
}
void inner_product_cost(CostContext& c) {
  c.macs({{"outputs", c.out_elements(0)}, {"common size", size_from_end(c.in(1), 0)}});
  bias_adds(c, 2);
  fused_activation(c);
}

Status ncnn_embed_shape(ShapeContext& c) {
  if (c.rank(1) != 2) return c.error("its weights need two axes");
  Dims dims = c.dims(0);
  dims.push_back(c.dims(1)[1]);
  c.set(0, c.dtype(1), std::move(dims));
  return {};
}
void ncnn_embed_cost(CostContext& c) { bias_adds(c, 2); }

// The size of an input's axis, from its end, of a matrix that is perhaps transposed.
Expr matrix_side(const NodeView& c, std::size_t i, bool transposed, std::size_t back) {
  return size_from_end(c.in(i), transposed ? 1 - back : back);
}

Status ncnn_gemm_shape(ShapeContext& c) {
  if (c.rank(0) < 2 || c.rank(1) < 2) return c.error("its inputs need two axes");
  Expr rows = matrix_side(c, 0, c.integer("transA", 0) != 0, 1);
  Expr columns = matrix_side(c, 1, c.integer("transB", 0) != 0, 0);
  if (c.integer("output_transpose", 0) != 0) std::swap(rows, columns);
  if (c.integer("output_N1M", 0) != 0)
    c.set(0, c.dtype(0), Dims{1, rows, 1, columns});
  else
    c.set(0, c.dtype(0), Dims{1, rows, columns});
  return {};
}
void ncnn_gemm_cost(CostContext& c) {
  const Expr count = c.out_elements(0);
  c.macs({{"outputs", count}, {"common size", matrix_side(c, 0, c.integer("transA", 0) != 0, 0)}});
  if (c.has(2)) c.adds({{"outputs", count}, {"third input", 1}});
  if (c.real("alpha", 1) != 1) c.muls({{"outputs times alpha", count}});
  if (c.has(2) && c.real("beta", 1) != 1) c.muls({{"outputs times beta", count}});
}

Recast ncnn_matmul(const NodeView& c) {
  Recast other{"MatMul"};
  Tensor second = input_of(c, 1);
  if (c.integer("transB", 0) != 0 && second.type->dims.size() >= 2) {
    TypeInfo type = second.type;
    std::swap(type.dims[type.dims.size() - 1], type.dims[type.dims.size() - 2]);
    second = tensor_of(std::move(type));
  }
  other.inputs = {input_of(c, 0), second};
  return other;
}

// Inputs: queries, keys, values, mask, then the weights and biases of the four products.
constexpr std::size_t kOutWeights = 10;
Expr width_of_queries(const NodeView& c) { return size_at(c.in(kOutWeights), 0); }

Status ncnn_attention_shape(ShapeContext& c) {
  Dims dims = c.dims(0);
  if (dims.size() != 3) return c.error("its input needs two axes");
  dims[2] = width_of_queries(c);
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}
void ncnn_attention_cost(CostContext& c) {
  const std::size_t keys = c.has(1) ? 1 : 0, values = c.has(2) ? 2 : keys;
  const Expr queries = size_at(c.in(0), 1), other = size_at(c.in(keys), 1);
  const Expr embedded = size_at(c.in(kOutWeights), 1);
  c.macs({{"queries", queries}, {"weights", product_from(c.in(4), 0)}});
  c.macs({{"keys", other}, {"weights", product_from(c.in(6), 0)}});
  c.macs({{"values", size_at(c.in(values), 1)}, {"weights", product_from(c.in(8), 0)}});
  c.macs({{"queries", queries}, {"keys", other}, {"scores, sums", embedded * 2}});
  c.macs({{"queries", queries}, {"weights", product_from(c.in(kOutWeights), 0)}});
  c.adds({{"queries, biases", queries}, {"sizes", embedded + width_of_queries(c)}});
  c.adds({{"keys and values, biases", other * 2}, {"sizes", embedded}});
  const Expr scores = queries * other * c.integer("num_heads", 1);
  if (c.has(3)) c.adds({{"scores, mask", scores}});
  add_elementwise(c, "Exp", scores);
  c.adds({{"scores, softmax", scores}, {"maximum, difference, sum", 3}});
  c.specials({{"scores, softmax", scores}});
}

constexpr Example kInnerProduct[] = {
    {"f32[1,1024], f32[10,1024], f32[10]",
     "activation=\"Relu\"",
     "f32[1,10]",
     {.macs = 10240, .flops = 10 * 2050}},
    {"f32[1,16,7,7], f32[10,784]", "", "f32[1,10]", {.macs = 7840}},
    {"f32[1,5,64], f32[32,64]", "", "f32[1,5,32]", {.macs = 5 * 32 * 64}},
};
constexpr Example kNcnnEmbed[] = {{"i32[1,7], f32[100,16]", "", "f32[1,7,16]", {.macs = 0}}};
constexpr Example kNcnnGemm[] = {
    {"f32[1,5,64], f32[32,64], f32[32]", "transB=1", "f32[1,5,32]", {.macs = 5 * 32 * 64}},
    {"f32[1,5,64], f32[1,64,32]", "output_N1M=1", "f32[1,5,1,32]", {.macs = 5 * 32 * 64}}};
constexpr Example kNcnnMatmul[] = {
    {"f32[1,4,16,64], f32[1,4,32,64]", "transB=1", "f32[1,4,16,32]", {.macs = 4 * 16 * 32 * 64}}};
// Four products of 6·8·8, and scores and sums of 6·6·8 each.
constexpr Example kNcnnAttention[] = {
    {"f32[1,6,8], _, _, _, f32[8,8], f32[8], f32[8,8], f32[8], f32[8,8], f32[8], f32[8,8], f32[8]",
     "num_heads=2",
     "f32[1,6,8]",
     {.macs = 4 * 6 * 64 + 2 * 6 * 6 * 8}}};

constexpr AttributeName kRowsTimesRows[] = {
    {Attr::TransposeFirst, "", 0},
    {Attr::TransposeSecond, "", 1},
};
constexpr AttributeName kNcnnGemmAttributes[] = {
    {Attr::TransposeFirst, "transA", 0},
    {Attr::TransposeSecond, "transB", 0},
};

constexpr OpRule kNcnnMatmulRules[] = {
    ncnn("InnerProduct", "Gemm", inner_product_shape, inner_product_cost, kInnerProduct,
         {.kind = LayerKind::Linear, .weights = 1, .bias = 2, .attributes = kRowsTimesRows}),
    ncnn("Embed", "Gather", ncnn_embed_shape, ncnn_embed_cost, kNcnnEmbed,
         {.kind = LayerKind::Embedding, .weights = 1}),
    ncnn("Gemm", "Gemm", ncnn_gemm_shape, ncnn_gemm_cost, kNcnnGemm,
         {.kind = LayerKind::Linear, .weights = 1, .bias = 2, .attributes = kNcnnGemmAttributes}),
    ncnn("MatMul", "MatMul", shape_of<ncnn_matmul>, cost_of<ncnn_matmul>, kNcnnMatmul,
         {.attributes = kNcnnGemmAttributes}),
    ncnn("MultiHeadAttention", "", ncnn_attention_shape, ncnn_attention_cost, kNcnnAttention,
         {.op = Op::Attention, .kind = LayerKind::Attention, .product = Product::Other}),
};

}  // namespace

std::span<const OpRule> ncnn_matmul_rules() { return kNcnnMatmulRules; }

}  // namespace strata
