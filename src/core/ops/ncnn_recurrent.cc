// Recurrent layers of ncnn: rows of a blob with two axes are the steps.
#include "ops/ncnn_rows.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// Inputs: data, hidden state, cell; then weights that the data meets [directions, gates·hidden,
// inputs], biases, weights that the state meets, and those of a projection.
constexpr std::size_t kDataMatrix = 3, kBiases = 4, kStateMatrix = 5, kProjection = 6;

Status ncnn_recurrent_shape(ShapeContext& c) {
  if (c.rank(0) != 3 || c.rank(kDataMatrix) != 3 || c.rank(kStateMatrix) != 3)
    return c.error("its input needs two axes, and its weights three");
  const Expr directions = c.dims(kStateMatrix)[0], outputs = c.dims(kStateMatrix)[2];
  Dims dims = c.dims(0);
  dims[2] = outputs * directions;
  c.set(0, c.dtype(0), std::move(dims));
  c.set(1, c.dtype(0), Dims{1, directions, outputs});
  if (c.output_count() > 2) {
    const Expr cell = c.has(kProjection) ? size_at(c.in(kProjection), 2) : outputs;
    c.set(2, c.dtype(0), Dims{1, directions, cell});
  }
  return {};
}

template <int gates, int sums, int products, int functions>
void ncnn_recurrent_cost(CostContext& c) {
  const Expr steps = size_at(c.in(0), 1);
  c.macs({{"steps", steps}, {"weights of the data", product_from(c.in(kDataMatrix), 0)}});
  c.macs({{"steps", steps}, {"weights of the state", product_from(c.in(kStateMatrix), 0)}});
  if (c.has(kProjection))
    c.macs({{"steps", steps}, {"weights of the projection", product_from(c.in(kProjection), 0)}});
  const Expr cells =
      steps * size_at(c.in(kDataMatrix), 0) * share_of(size_at(c.in(kDataMatrix), 1), gates);
  c.adds({{"cells", cells}, {"biases, sums", Expr(2 * gates + sums)}});
  if (products > 0) c.muls({{"cells", cells}, {"products", products}});
  add_elementwise(c, "Sigmoid", cells * functions);
  add_elementwise(c, "Tanh", cells);
}

// 5 steps of 4·3 rows of 2 and of 3 products.
constexpr Example kNcnnLstm[] = {{"f32[1,5,2], _, _, f32[1,12,2], f32[1,4,3], f32[1,12,3]",
                                  "",
                                  "f32[1,5,3], f32[1,1,3], f32[1,1,3]",
                                  {.macs = 5 * 12 * 5}}};
constexpr Example kNcnnGru[] = {{"f32[1,5,2], _, _, f32[2,9,2], f32[2,4,3], f32[2,9,3]",
                                 "",
                                 "f32[1,5,6], f32[1,2,3]",
                                 {.macs = 2 * 5 * 9 * 5}}};
constexpr Example kNcnnRnn[] = {{"f32[1,5,2], _, _, f32[1,3,2], f32[1,1,3], f32[1,3,3]",
                                 "",
                                 "f32[1,5,3], f32[1,1,3]",
                                 {.macs = 5 * 3 * 5}}};
constexpr Traits ncnn_recurrent(std::uint8_t gates) {
  return {.kind = LayerKind::Recurrent,
          .product = Product::Other,
          .weights = kDataMatrix,
          .bias = kBiases,
          .gates = gates};
}

constexpr OpRule kNcnnRecurrentRules[] = {
    ncnn("LSTM", "", ncnn_recurrent_shape, ncnn_recurrent_cost<4, 1, 3, 3>, kNcnnLstm,
         ncnn_recurrent(4)),
    ncnn("GRU", "", ncnn_recurrent_shape, ncnn_recurrent_cost<3, 2, 3, 2>, kNcnnGru,
         ncnn_recurrent(3)),
    ncnn("RNN", "", ncnn_recurrent_shape, ncnn_recurrent_cost<1, 0, 0, 0>, kNcnnRnn,
         ncnn_recurrent(1)),
};

}  // namespace

std::span<const OpRule> ncnn_recurrent_rules() { return kNcnnRecurrentRules; }

}  // namespace strata
