// ONNX Runtime's products with weights that are stored packed, in 8 bits or fewer, and its mixtures
// of experts. Unpacking weights is not counted, because it is not work of the network.
#include "ops/common.h"
#include "ops/matmul.h"
#include "ops/part.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// Output i: the input with `out` in place of its last size, which is `in`.
Status product_of_rows(ShapeContext& c, std::size_t i, const Expr& in, const Expr& out) {
  if (c.rank(0) < 1) return c.error("its input needs at least one axis");
  if (clash(size_from_end(c.in(0), 0), in)) return c.error("its weights do not fit its input");
  Dims dims = c.dims(0);
  dims.back() = out;
  c.set(i, c.dtype(0), std::move(dims));
  return {};
}

void add_product(CostContext& c, std::size_t output, const Expr& in, bool bias) {
  c.macs({{"outputs", c.out_elements(output)}, {"common size", in}});
  if (bias) c.adds({{"outputs", c.out_elements(output)}, {"bias", 1}});
}

Expr attribute(const NodeView& c, std::string_view name) {
  const std::int64_t number = c.integer(name, 0);
  return number > 0 ? Expr(number) : Expr::unknown();
}

// ---- MatMulNBits: attributes K × N; MatMulBnb4 may take its weights transposed.

Status n_bits(ShapeContext& c) {
  if (attribute(c, "K").is_unknown() || attribute(c, "N").is_unknown())
    return c.error("attributes K and N must be above 0");
  const bool turned = c.node().op == "MatMulBnb4" && c.integer("transB", 1) == 0;
  const Expr in = attribute(c, turned ? "N" : "K"), out = attribute(c, turned ? "K" : "N");
  if (auto ok = product_of_rows(c, 0, in, out); !ok) return ok;
  c.share_type(1, 0);  // MatMulNBitsMlp: the sum with input `skip`
  return {};
}

void n_bits_cost(CostContext& c) {
  add_product(c, 0, size_from_end(c.in(0), 0), c.node().op == "MatMulNBits" && c.has(5));
}

Expr n_bits_parameters(const NodeView& c, std::size_t input) {
  return input == 1 ? attribute(c, "K") * attribute(c, "N") : c.in_elements(input);
}

// ---- Several such products of one input, which may be normalized first.

// A, skip, scale of the norm.
void add_norm_before(CostContext& c) {
  if (c.has(1)) c.adds({{"inputs", c.in_elements(0)}, {"skip", 1}});
  if (c.has(2)) add_work(c, {"RMSNormalization", {tensor_of(c.in(0))}, {}, 23}, {{c.in(0)}});
}

// activation(A · gate) · (A · up)
void mlp_cost(CostContext& c) {
  add_norm_before(c);
  add_product(c, 0, attribute(c, "K"), c.has(5));
  add_product(c, 0, attribute(c, "K"), c.has(8));
  add_activation(c, c.text("activation", ""), c.out_elements(0));
  c.muls({{"outputs", c.out_elements(0)}, {"gate", 1}});
}

Expr mlp_parameters(const NodeView& c, std::size_t input) {
  const bool packed = input == 3 || input == 6;
  return packed ? attribute(c, "K") * attribute(c, "N") : c.in_elements(input);
}

Status qkv(ShapeContext& c) {
  for (std::size_t i = 0; i < 3; ++i) {
    const Expr width = attribute(c, i == 0 ? "Nq" : "Nkv");
    if (width.is_unknown()) return c.error("attributes Nq and Nkv must be above 0");
    if (auto ok = product_of_rows(c, i, attribute(c, "K"), width); !ok) return ok;
  }
  c.share_type(3, 0);
  return {};
}

void qkv_cost(CostContext& c) {
  add_norm_before(c);
  const Expr rows = share_of(c.in_elements(0), size_from_end(c.in(0), 0));
  for (std::size_t i = 0; i < 3; ++i) {
    const Expr outputs = rows * attribute(c, i == 0 ? "Nq" : "Nkv");
    c.macs({{"outputs", outputs}, {"common size", attribute(c, "K")}});
    if (c.has(5 + 3 * i)) c.adds({{"outputs", outputs}, {"bias", 1}});
  }
}

Expr qkv_parameters(const NodeView& c, std::size_t input) {
  if (input == 3) return attribute(c, "K") * attribute(c, "Nq");
  if (input == 6 || input == 9) return attribute(c, "K") * attribute(c, "Nkv");
  return c.in_elements(input);
}

// ---- The shape of the weights is input 2: K, N.

Status shaped(ShapeContext& c) {
  Dims right{size_from_end(c.in(0), 0), Expr::unknown()};
  if (const auto known = c.integers_of(2); known && known->size() == 2) right = to_dims(*known);
  if (right.back().is_unknown()) right.back() = c.fresh("columns");
  auto dims = matmul_dims(c, c.dims(0), right);
  if (!dims) return failure(dims);
  c.set(0, c.dtype(0), std::move(*dims));
  return {};
}

Expr shaped_parameters(const NodeView& c, std::size_t input) {
  return input == 1 ? size_from_end(c.in(0), 0) * size_from_end(c.out(0), 0) : c.in_elements(input);
}

// ---- Weights (N, K) in 8-bit floats, or (N, K/2) with two 4-bit floats in a byte.

int per_byte(const NodeView& c) { return c.node().op == "MatMulBlockQuantizedFp4Weight" ? 2 : 1; }

Status block_scaled(ShapeContext& c) {
  if (c.rank(1) != 2) return c.error("its weights must be a matrix");
  return product_of_rows(c, 0, c.dims(1)[1] * per_byte(c), c.dims(1)[0]);
}

void block_scaled_cost(CostContext& c) {
  const bool fp4 = per_byte(c) == 2;
  add_product(c, 0, size_from_end(c.in(0), 0), c.has(fp4 ? 5 : 4));
  // Activations are rounded to 8 bits and back.
  if (!fp4 && c.has(3)) c.muls({{"inputs", c.in_elements(0)}, {"scale", 2}});
}

Expr block_scaled_parameters(const NodeView& c, std::size_t input) {
  return input == 1 ? c.in_elements(1) * per_byte(c) : c.in_elements(input);
}

// ---- GatherBlockQuantized: rows of a packed table, as real numbers.

// Elements per stored byte; 4-bit types and floats imply this themselves.
std::int64_t packed_in_byte(const NodeView& c, std::size_t input, std::string_view bits_attribute) {
  const std::int64_t bits = c.integer(bits_attribute, 4);
  return c.dtype(input) == DType::U8 && (bits == 2 || bits == 4) ? 8 / bits : 1;
}

Status gather_blocks(ShapeContext& c) {
  const auto axis = c.axis(c.integer("gather_axis", 0), c.rank(0));
  if (!axis) return failure(axis);
  Dims table = c.dims(0), dims;
  table.back() *= packed_in_byte(c, 0, "bits");
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (i != *axis)
      dims.push_back(table[i]);
    else
      for (const Expr& size : c.dims(1)) dims.push_back(size);
  }
  c.set(0, c.dtype(2), std::move(dims));
  return {};
}

// Here, unpacking is the work: (q - zero point) · scale.
void gather_blocks_cost(CostContext& c) {
  const Expr count = c.out_elements(0);
  if (!is_float(c.dtype(0))) c.adds({{"outputs", count}, {"zero point", 1}});
  c.muls({{"outputs", count}, {"scale", 1}});
  const Expr stored = ceil_div(count, packed_in_byte(c, 0, "bits"));
  c.reads(bytes(stored, c.dtype(0)) + bytes(c.in_elements(1), c.dtype(1)));
}

Expr gather_blocks_parameters(const NodeView& c, std::size_t input) {
  return input == 0 ? c.in_elements(0) * packed_in_byte(c, 0, "bits") : c.in_elements(input);
}

// ---- Mixtures of experts: each token goes through k of them.

struct Layer {
  std::size_t weights, bias;
};
constexpr Layer kPlain[] = {{2, 3}, {4, 5}, {6, 7}};
constexpr Layer kQuantized[] = {{2, 4}, {5, 7}, {8, 10}};

bool is_quantized(const NodeView& c) { return c.node().op == "QMoE"; }

std::int64_t packed_weights(const NodeView& c, std::size_t input) {
  return is_quantized(c) ? packed_in_byte(c, input, "expert_weight_bits") : 1;
}

// The weights of an expert are read if a token goes there: at most k experts per token.
void experts_cost(CostContext& c) {
  const std::span<const Layer> layers = is_quantized(c) ? kQuantized : kPlain;
  const Expr hidden = size_from_end(c.in(0), 0), experts = size_from_end(c.in(1), 0);
  const Expr tokens = share_of(c.in_elements(0), hidden), chosen = c.integer("k", 1);
  add_work(c, {"Softmax", {tensor_of(c.in(1))}}, {{c.in(1)}});
  c.adds({{"tokens", tokens}, {"comparisons of experts", experts}});

  Expr read = 0;
  for (std::size_t i = 0; i < c.input_count(); ++i)
    if (c.has(i)) {
      const Expr all = bytes(c.in_elements(i), c.dtype(i));
      read += i < 2 ? all : share_of(all, experts) * min(experts, tokens * chosen);
    }
  c.reads(read);

  for (const Layer& layer : layers) {
    if (!c.has(layer.weights)) continue;
    const Expr stored = share_of(c.in_elements(layer.weights), experts);
    c.macs({{"tokens", tokens},
            {"experts of each", chosen},
            {"weights", stored * packed_weights(c, layer.weights)}});
    if (c.has(layer.bias))
      c.adds({{"tokens", tokens},
              {"experts of each", chosen},
              {"biases", share_of(c.in_elements(layer.bias), experts)}});
  }
  const Layer& second = layers[1];
  const Expr of_second =
      share_of(c.in_elements(second.weights) * packed_weights(c, second.weights), experts);
  const Expr inner = tokens * chosen * share_of(of_second, hidden);
  const std::string_view activation = c.text("activation_type", "relu");
  if (activation == "swiglu") {  // G · sigmoid(alpha·G) · (L + beta)
    add_elementwise(c, "Sigmoid", inner);
    c.muls({{"inner values", inner}, {"products", 3}});
    c.adds({{"inner values", inner}, {"beta", 1}});
  } else {
    add_activation(c, activation, inner);
    if (c.has(layers[2].weights)) c.muls({{"inner values", inner}, {"gate", 1}});
  }
  c.muls({{"tokens", tokens}, {"experts of each", chosen}, {"weighted", hidden}});
  c.adds({{"tokens", tokens}, {"experts less 1", chosen - 1}, {"summed", hidden}});
}

Expr experts_parameters(const NodeView& c, std::size_t input) {
  for (const Layer& layer : kQuantized)
    if (input == layer.weights) return c.in_elements(input) * packed_weights(c, input);
  return c.in_elements(input);
}

constexpr Example kNBits[] = {
    {"f32[1,128,4096], u8[11008,128,16], f32[11008,128]",
     "K=4096 N=11008 bits=4 block_size=32",
     "f32[1,128,11008]",
     {.macs = 128LL * 4096 * 11008}},
    {"f16[B,S,64], u8[32,2,16], f16[32,2], _, _, f16[32]", "K=64 N=32 block_size=32",
     "f16[B,S,32]"},
};
constexpr Example kBnb4[] = {
    {"f32[4,64], u8[1024], f32[64]",
     "K=64 N=32 block_size=32 quant_type=1",
     "f32[4,32]",
     {.macs = 8192, .flops = 16384}},
    {"f32[4,32], u8[1024], f32[64]",
     "K=64 N=32 block_size=32 quant_type=1 transB=0",
     "f32[4,64]",
     {.macs = 8192}},
};
constexpr Example kMlp[] = {
    {"f32[1,8], _, _, u8[16,1,16], f32[16,1], _, u8[16,1,16], f32[16,1]",
     "K=8 N=16 block_size=32 activation=\"silu\"",
     "f32[1,16]",
     {.macs = 256, .flops = 512 + 16 * 4 + 16}},
};
constexpr Example kQkv[] = {
    {"f32[1,2,8], f32[1,2,8], f32[8], u8[16,1,16], f32[16,1], _, u8[4,1,16], f32[4,1], _, "
     "u8[4,1,16], f32[4,1]",
     "K=8 Nq=16 Nkv=4 block_size=32",
     "f32[1,2,16], f32[1,2,4], f32[1,2,4], f32[1,2,8]",
     {.macs = 2 * 8 * 24}},
};
constexpr Example kShaped[] = {
    {"f32[4,64], u8[1280], i64[2]={64,32}", "", "f32[4,32]", {.macs = 8192}},
};
constexpr Example kFp4[] = {
    {"f16[4,64], u8[32,32], u8[32,4], f32[]", "", "f16[4,32]", {.macs = 8192}},
};
constexpr Example kFp8[] = {
    {"f16[4,64], f8e4m3fn[32,64], f32[32,1], f32[], f16[32]",
     "",
     "f16[4,32]",
     {.macs = 8192, .flops = 16384 + 128 + 512}},
};
constexpr Example kGatherBlocks[] = {
    {"u4[1000,64], i64[2,3], f32[1000,2]", "block_size=32", "f32[2,3,64]", {.flops = 768}},
    {"u8[1000,32], i64[2,3], f16[1000,2]", "block_size=32 bits=4", "f16[2,3,64]"},
};
// 10 tokens through 2 of 4 experts: 16·8 and 8·16 products each.
constexpr Example kExperts[] = {
    {"f32[10,8], f32[10,4], f32[4,16,8], _, f32[4,8,16]",
     "k=2",
     "f32[10,8]",
     {.macs = 10 * 2 * 256, .flops = 10240 + 200 + 40 + 320 + 160 + 80}},
    {"f32[1,10,8], f32[10,4], f32[4,32,8], f32[4,32], f32[4,8,16], f32[4,8]",
     "k=2 activation_type=\"swiglu\" swiglu_fusion=1",
     "f32[1,10,8]",
     {.macs = 10 * 2 * 384}},
};
constexpr Example kQuantizedExperts[] = {
    {"f32[10,8], f32[10,4], u8[4,16,4], f32[4,16], _, u8[4,8,8], f32[4,8]",
     "k=2",
     "f32[10,8]",
     {.macs = 10 * 2 * 256}},
};

constexpr OpRule row(std::string_view name, ShapeRule shape, CostRule cost,
                     std::span<const Example> examples, std::uint32_t settings,
                     Expr (*parameters)(const NodeView&, std::size_t)) {
  return {.name = name,
          .domain = kMicrosoft,
          .shape = shape,
          .cost = cost,
          .examples = examples,
          .settings = settings,
          .parameters = parameters};
}

constexpr AttributeName kGatherAttributes[] = {{Attr::Axis, "gather_axis"}};

constexpr OpRule kMicrosoftPackedRules[] = {
    with_traits(row("MatMulNBits", n_bits, n_bits_cost, kNBits, slots(2, 3, 4), n_bits_parameters),
                {.kind = LayerKind::MatMul,
                 .kind_with_weights = LayerKind::Linear,
                 .product = Product::MatMul,
                 .weights = 1,
                 .bias = 5}),
    with_traits(row("MatMulBnb4", n_bits, n_bits_cost, kBnb4, slots(2), n_bits_parameters),
                {.product = Product::MatMul, .weights = 1}),
    row("MatMulNBitsMlp", n_bits, mlp_cost, kMlp, slots(4, 7), mlp_parameters),
    row("MatMulNBitsQkv", qkv, qkv_cost, kQkv, slots(4, 7, 10), qkv_parameters),
    row("MatMulFpQ4", shaped, n_bits_cost, kShaped, slots(2), shaped_parameters),
    row("MatMulBlockQuantizedFp4Weight", block_scaled, block_scaled_cost, kFp4, slots(2, 3, 4),
        block_scaled_parameters),
    row("MatMulBlockQuantizedFp8Weight", block_scaled, block_scaled_cost, kFp8, slots(2, 3),
        block_scaled_parameters),
    with_traits(row("GatherBlockQuantized", gather_blocks, gather_blocks_cost, kGatherBlocks,
                    slots(1, 2, 3), gather_blocks_parameters),
                {.op = Op::GatherND, .attributes = kGatherAttributes}),
    row("MoE", like_input, experts_cost, kExperts, 0, nullptr),
    row("QMoE", like_input, experts_cost, kQuantizedExperts,
        slots(3, 6, 9, 11, 12, 13, 15, 16, 17, 18, 19, 20), experts_parameters),
};

}  // namespace

std::span<const OpRule> microsoft_packed_rules() { return kMicrosoftPackedRules; }

}  // namespace strata
