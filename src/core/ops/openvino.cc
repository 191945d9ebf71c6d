// Operators of OpenVINO that are none of ONNX's own. Files state the types of what they return.
#include "ops/aten_table.h"
#include "ops/common.h"
#include "ops/openvino_table.h"
#include "ops/part.h"
#include "ops/pool.h"
#include "ops/recast.h"
#include "ops/signal.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// Between two bounds, scaled, rounded and scaled back.
void fake_quantize_cost(CostContext& c) { work_per_output<5, 2, 0>(c); }
void difference_squared_cost(CostContext& c) { work_per_output<1, 1, 0>(c); }
void identity_of_state_cost(CostContext& c) { no_arithmetic(c); }

// Data, states, weights [gates·hidden, inputs], weights of the state, biases.
template <int gates>
void cell_cost(CostContext& c) {
  const std::size_t weights = gates == 4 ? 3 : 2;
  const Expr batch = size_at(c.in(0), 0);
  c.macs({{"items", batch}, {"weights of the data", product_from(c.in(weights), 0)}});
  c.macs({{"items", batch}, {"weights of the state", product_from(c.in(weights + 1), 0)}});
  const Expr cells = c.out_elements(0);
  c.adds({{"cells", cells}, {"biases, sums", Expr(2 * gates + 1)}});
  if (gates > 1) c.muls({{"cells", cells}, {"products", 3}});
  add_elementwise(c, "Tanh", cells);
  if (gates > 1) add_elementwise(c, "Sigmoid", cells * (gates - 1));
}

// Transforms along the axes that an attribute lists, of which the last may have a real side.
// Complex numbers have a last axis of two.
template <bool one_side_real>
void openvino_dft_cost(CostContext& c) {
  const auto axes = c.integers("axes");
  if (axes.empty() || !c.ranked(0) || !c.out(0).ranked)
    return c.cannot_tell("its axes are not known");
  const bool forward = c.out(0).dims.size() > c.in(0).dims.size();
  const TypeInfo& spectrum = forward ? c.out(0) : c.in(0);
  const TypeInfo& signal = forward ? c.in(0) : c.out(0);
  if (spectrum.dims.size() < 2) return c.cannot_tell("its sizes are not known");
  const std::size_t rank = spectrum.dims.size() - 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t axis = axes[i] < 0 ? axes[i] + static_cast<std::int64_t>(rank) : axes[i];
    const bool is_real = one_side_real && i + 1 == axes.size();
    const TypeInfo& type = is_real ? signal : spectrum;
    const Expr length = axis < 0 ? Expr::unknown() : size_at(type, static_cast<std::size_t>(axis));
    fourier_cost(c, share_of(product_of(type, 0, rank), length), length, is_real);
  }
}

// Rows of a table, added.
void bag_cost(CostContext& c) {
  c.adds({{"indices", c.in_elements(1)}, {"columns", product_from(c.in(0), 1)}});
}

// A search, a sort, a suppression of boxes: one comparison for each element is the least.
template <std::size_t input>
void element_search_cost(CostContext& c) {
  c.adds({{"elements", c.in_elements(input)}});
  c.at_least("one comparison is counted per element; it needs more");
}
void regions_cost(CostContext& c) {
  c.adds({{"outputs", c.out_elements(0)}});
  c.at_least("how many elements each output has depends on the data");
}

template <bool is_average>
void adaptive_pool_cost(CostContext& c) {
  Expr window = 1;
  for (std::size_t i = 2; i < c.in(0).dims.size(); ++i)
    window *= ceil_div(size_at(c.in(0), i), size_at(c.out(0), i));
  if (is_average)
    average_of_window(c, window);
  else
    max_of_window(c, window);
}

// Data, offsets, weights, masks.
void deformable_cost(CostContext& c) {
  Recast other{"DeformConv"};
  other.inputs = {input_of(c, 0), input_of(c, 2), input_of(c, 1), Tensor(), input_of(c, 3)};
  other.opset = 19;
  cost_as(c, other);
}
Status openvino_attention_shape(ShapeContext& c) {
  if (!c.ranked(0) || !c.ranked(2)) {
    c.set_unranked(0, c.dtype(0));
    return {};
  }
  if (c.rank(0) < 2 || c.rank(2) < 2) return c.error("its inputs need two axes");
  Dims dims = c.dims(0);
  dims[dims.size() - 1] = size_from_end(c.in(2), 0);
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}
// Indices, how many values there are, and the two values that the output has.
Status openvino_one_hot_shape(ShapeContext& c) {
  if (!c.ranked(0)) {
    c.set_unranked(0, c.dtype(2));
    return {};
  }
  const auto place = c.axis(c.integer("axis", -1), c.rank(0) + 1);
  if (!place) return failure(place);
  const auto depth = c.scalar_of(1);
  Dims dims;
  for (std::size_t i = 0; i <= c.rank(0); ++i) {
    if (i == *place) dims.push_back(depth && !depth->is_unknown() ? *depth : c.fresh("depth"));
    if (i < c.rank(0)) dims.push_back(c.dims(0)[i]);
  }
  c.set(0, c.dtype(2), std::move(dims));
  return {};
}

// Queries (…, rows, width), keys, values, and perhaps a mask.
void openvino_attention_cost(CostContext& c) {
  const Expr width = size_from_end(c.in(0), 0), keys = size_from_end(c.in(1), 1);
  // Heads that only the output has are those of the keys.
  const Expr scores = share_of(c.out_elements(0), size_from_end(c.out(0), 0)) * keys;
  c.macs({{"scores", scores}, {"width", width}});
  c.macs({{"outputs", c.out_elements(0)}, {"keys", keys}});
  c.muls({{"scores, scaled", scores}});
  if (c.has(3)) c.adds({{"scores and mask", scores}});
  add_elementwise(c, "Softmax", scores);
}
// Signs are multiplied and counted.
void binary_conv_cost(CostContext& c) {
  c.macs({{"outputs", c.out_elements(0)}, {"window and channels", product_from(c.in(1), 1)}});
}
void grouped_product_cost(CostContext& c) {
  c.macs({{"outputs", c.out_elements(0)}, {"common size", size_from_end(c.in(0), 0)}});
}
// Squares of all channels are added; each element is divided by a root.
void grn_cost(CostContext& c) {
  work_per_output<1, 1, 1>(c);
  c.specials({{"places", share_of(c.out_elements(0), size_at(c.out(0), 1))}});
}
// From Y, U, V: a row of three products.
void color_cost(CostContext& c) { work_per_output<3, 3, 0>(c); }

constexpr Example kFakeQuantize[] = {
    {"f32[1,4,8,8], f32[], f32[], f32[], f32[]", "", "f32[1,4,8,8]", {.macs = 0, .flops = 1792}}};
constexpr Example kMoved[] = {{"f32[1,4]", "", "f32[1,4]", {.macs = 0, .flops = 0}}};
constexpr Example kSquaredDifference[] = {
    {"f32[2,3], f32[3]", "", "f32[2,3]", {.macs = 0, .flops = 12}}};
// 12 rows of 2 and of 3 products.
constexpr Example kLstmCell[] = {{"f32[5,2], f32[5,3], f32[5,3], f32[12,2], f32[12,3], f32[12]",
                                  "",
                                  "f32[5,3], f32[5,3]",
                                  {.macs = 5 * 12 * 5}}};
constexpr Example kGruCell[] = {
    {"f32[5,2], f32[5,3], f32[9,2], f32[9,3], f32[9]", "", "f32[5,3]", {.macs = 5 * 9 * 5}}};
constexpr Example kRnnCell[] = {
    {"f32[5,2], f32[5,3], f32[3,2], f32[3,3], f32[3]", "", "f32[5,3]", {.macs = 5 * 3 * 5}}};

constexpr Example kHot[] = {
    {"i64[N], i64[]={7}, f32[], f32[]", "axis=-1", "f32[N,7]", {.macs = 0, .flops = 0}}};
constexpr Example kOpenvinoUpdated[] = {
    {"f32[4,5], i64[2], f32[2,5], i64[]", "", "f32[4,5]", {.macs = 0, .flops = 0}}};
constexpr Example kOpenvinoEach[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kShifted[] = {{"i32[2,3], i32[3]", "", "i32[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kOpenvinoMade[] = {{"i64[2]", "", "f32[3,4]", {.macs = 0}}};
constexpr Example kSearched[] = {{"f32[4,5], f32[3]", "", "i64[4,5]", {.macs = 0, .flops = 20}}};
constexpr Example kSearchedSecond[] = {
    {"f32[3], f32[4,5]", "", "i64[4,5]", {.macs = 0, .flops = 20}}};
constexpr Example kOpenvinoSampled[] = {
    {"f32[1,4,8,8], f32[3,5]", "", "f32[3,4,2,2]", {.macs = 0, .flops = 48}}};
// Windows of two by two.
constexpr Example kAdaptiveAverage[] = {
    {"f32[1,4,8,8], i64[2]", "", "f32[1,4,4,4]", {.macs = 0, .flops = 256}}};
constexpr Example kAdaptiveMax[] = {
    {"f32[1,4,8,8], i64[2]", "", "f32[1,4,4,4], i64[1,4,4,4]", {.macs = 0, .flops = 192}}};
// 3 rows of 8 columns are added.
constexpr Example kOpenvinoBag[] = {
    {"f32[20,8], i64[3], i64[2]", "", "f32[2,8]", {.macs = 0, .flops = 24}}};
constexpr Example kDeformable[] = {
    // DeformConv's example.
    {"f32[1,1,3,3], f32[1,8,2,2], f32[1,1,2,2]", "", "f32[1,1,2,2]", {.macs = 16, .flops = 144}}};
constexpr Example kOpenvinoBinary[] = {
    {"f32[1,2,4,4], f32[3,2,3,3]", "", "f32[1,3,2,2]", {.macs = 12 * 18}}};
constexpr Example kOpenvinoGrouped[] = {
    {"f32[6,4], f32[2,4,5], i32[2]", "", "f32[6,5]", {.macs = 30 * 4}}};
// 6·5 scores of 8 products, 6·4 outputs of 5.
constexpr Example kOpenvinoAttention[] = {
    {"f32[1,6,8], f32[1,5,8], f32[1,5,4]", "", "f32[1,6,4]", {.macs = 360}}};
constexpr Example kGrn[] = {{"f32[1,4,2,2]", "", "f32[1,4,2,2]", {.macs = 0, .flops = 52}}};
constexpr Example kColor[] = {
    {"u8[1,4,4,1], u8[1,2,2,2]", "", "u8[1,4,4,3]", {.macs = 0, .flops = 288}}};
// Like DFT: 8/2·3 butterflies of 4 products and 6 sums, for each of 2 rows; half with a real side.
constexpr Example kComplexDft[] = {
    {"f32[2,8,2], i64[1]", "axes=1,", "f32[2,8,2]", {.macs = 0, .flops = 240}}};
constexpr Example kRealDft[] = {
    {"f32[2,8], i64[1]", "axes=-1,", "f32[2,5,2]", {.macs = 0, .flops = 120}}};
constexpr Example kFromRealDft[] = {
    {"f32[2,5,2], i64[1]", "axes=-1,", "f32[2,8]", {.macs = 0, .flops = 120}}};

constexpr OpRule row(std::string_view name, ShapeRule shape, CostRule cost,
                     std::span<const Example> examples, const Traits& traits = {}) {
  OpRule rule = any_rank_in(kOpenvino, name, 1, shape, cost, examples);
  rule.traits = traits;
  return rule;
}
constexpr OpRule with_bodies(std::string_view name) {
  return row(name, nullptr, no_arithmetic, {}, {.bodies = BodyRuns::AsInferred});
}
constexpr Traits cell(std::uint8_t gates, std::uint8_t weights) {
  return {.kind = LayerKind::Recurrent,
          .product = Product::Other,
          .weights = weights,
          .bias = static_cast<std::uint8_t>(weights + 2),
          .gates = gates};
}

constexpr OpRule fake_quantize() {
  OpRule rule = row("FakeQuantize", like_input, fake_quantize_cost, kFakeQuantize,
                    {.quantized = Quantized::Quantizes});
  rule.settings = slots(1, 2, 3, 4);
  rule.passes_weights = true;
  return rule;
}

constexpr OpRule with_slots(OpRule rule, std::uint32_t settings) {
  rule.settings = settings;
  return rule;
}
constexpr OpRule bag(std::string_view name) {
  return with_slots(row(name, nullptr, bag_cost, kOpenvinoBag,
                        {.kind_with_weights = LayerKind::Embedding, .weights = 0}),
                    slots(1, 2, 3));
}
constexpr OpRule moves(std::string_view name) { return row(name, nullptr, no_arithmetic, kMoved); }
constexpr OpRule searches(std::string_view name) {
  return row(name, nullptr, element_search_cost<0>, kSearched);
}
constexpr OpRule samples(std::string_view name) {
  return row(name, nullptr, regions_cost, kOpenvinoSampled);
}

constexpr OpRule kOpenvinoRules[] = {
    fake_quantize(),
    row("SquaredDifference", nullptr, difference_squared_cost, kSquaredDifference),
    row("ShuffleChannels", like_input, no_arithmetic, kMoved),
    row("ReadValue", nullptr, identity_of_state_cost, kMoved),
    row("Assign", like_input, identity_of_state_cost, kMoved),
    row("Pad", nullptr, no_arithmetic, kMoved),
    row("Gather", nullptr, no_arithmetic, kMoved),
    row("Transpose", nullptr, no_arithmetic, kMoved),
    row("BatchToSpace", nullptr, no_arithmetic, kMoved),
    row("SpaceToBatch", nullptr, no_arithmetic, kMoved),
    row("LSTMCell", nullptr, cell_cost<4>, kLstmCell, cell(4, 3)),
    row("GRUCell", nullptr, cell_cost<3>, kGruCell, cell(3, 2)),
    row("RNNCell", nullptr, cell_cost<1>, kRnnCell, cell(1, 2)),
    with_slots(row("OneHot", openvino_one_hot_shape, no_arithmetic, kHot), slots(0, 1, 2, 3)),
    with_slots(row("ScatterUpdate", like_input, no_arithmetic, kOpenvinoUpdated), slots(1, 3)),
    with_slots(row("SliceScatter", like_input, no_arithmetic, kOpenvinoUpdated), slots(2, 3, 4, 5)),
    with_slots(row("Roll", like_input, no_arithmetic, kMoved), slots(1, 2)),
    with_slots(moves("Eye"), slots(0, 1, 2, 3)),
    moves("ReorgYolo"),
    moves("ExtractImagePatches"),
    moves("GatherTree"),
    moves("PriorBox"),
    moves("PriorBoxClustered"),
    moves("ConvertPromoteTypes"),
    moves("StringTensorPack"),
    moves("StringTensorUnpack"),
    moves("SparseFillEmptyRows"),
    row("BitwiseLeftShift", nullptr, adds_per_output<1>, kShifted),
    row("BitwiseRightShift", nullptr, adds_per_output<1>, kShifted),
    row("ErfInv", like_input, specials_per_output<1>, kOpenvinoEach),
    row("FakeConvert", like_input, adds_per_output<1>, kOpenvinoEach),
    with_slots(
        row("RandomUniform", nullptr, specials_per_output<1>, kOpenvinoMade, {.random = true}),
        slots(0, 1, 2)),
    row("Multinomial", nullptr, element_search_cost<0>, kSearched, {.random = true}),
    row("Bucketize", nullptr, element_search_cost<0>, kSearched),
    row("SearchSorted", nullptr, element_search_cost<1>, kSearchedSecond),
    searches("Unique"),
    searches("MatrixNms"),
    searches("MulticlassNms"),
    searches("NMSRotated"),
    searches("GenerateProposals"),
    searches("DetectionOutput"),
    searches("Proposal"),
    searches("CTCGreedyDecoder"),
    searches("CTCGreedyDecoderSeqLen"),
    searches("CTCLoss"),
    searches("RegionYolo"),
    searches("STFT"),
    searches("ISTFT"),
    searches("SegmentMax"),
    searches("ExperimentalDetectronDetectionOutput"),
    searches("ExperimentalDetectronGenerateProposalsSingleImage"),
    searches("ExperimentalDetectronTopKROIs"),
    moves("ExperimentalDetectronPriorGridGenerator"),
    samples("ExperimentalDetectronROIFeatureExtractor"),
    samples("ROIPooling"),
    samples("PSROIPooling"),
    samples("DeformablePSROIPooling"),
    samples("ROIAlignRotated"),
    with_slots(row("AdaptiveAvgPool", nullptr, adaptive_pool_cost<true>, kAdaptiveAverage,
                   {.kind = LayerKind::AdaptiveAvgPool}),
               slots(1)),
    with_slots(row("AdaptiveMaxPool", nullptr, adaptive_pool_cost<false>, kAdaptiveMax,
                   {.kind = LayerKind::AdaptiveMaxPool}),
               slots(1)),
    bag("EmbeddingBagOffsets"),
    bag("EmbeddingBagOffsetsSum"),
    bag("EmbeddingBagPacked"),
    bag("EmbeddingBagPackedSum"),
    bag("EmbeddingSegmentsSum"),
    row("DeformableConvolution", nullptr, deformable_cost, kDeformable,
        {.kind = LayerKind::Other, .product = Product::Other, .weights = 2}),
    row("BinaryConvolution", nullptr, binary_conv_cost, kOpenvinoBinary,
        {.kind = LayerKind::Other, .product = Product::Other, .weights = 1}),
    row("GroupedMatMul", nullptr, grouped_product_cost, kOpenvinoGrouped,
        {.kind = LayerKind::Other, .product = Product::Other, .weights = 1}),
    row("ScaledDotProductAttention", openvino_attention_shape, openvino_attention_cost,
        kOpenvinoAttention, {.kind = LayerKind::Attention, .product = Product::Other}),
    row("GRN", like_input, grn_cost, kGrn),
    row("NV12toBGR", nullptr, color_cost, kColor),
    row("NV12toRGB", nullptr, color_cost, kColor),
    row("I420toBGR", nullptr, color_cost, kColor),
    row("I420toRGB", nullptr, color_cost, kColor),
    with_slots(row("DFT", nullptr, openvino_dft_cost<false>, kComplexDft), slots(1, 2)),
    with_slots(row("IDFT", nullptr, openvino_dft_cost<false>, kComplexDft), slots(1, 2)),
    with_slots(row("RDFT", nullptr, openvino_dft_cost<true>, kRealDft), slots(1, 2)),
    with_slots(row("IRDFT", nullptr, openvino_dft_cost<true>, kFromRealDft), slots(1, 2)),
    with_bodies("Loop"),
    with_bodies("TensorIterator"),
};

}  // namespace

std::span<const Family> openvino_families() {
  static const Family kFamilies[] = {{"openvino", kOpenvinoRules, LayerKind::Other}};
  return kFamilies;
}

const OpRule* find_openvino_rule(std::string_view op) {
  // Never destroyed: an engine may end the process while a thread of ours looks something up.
  static const AtenTable& table = *new AtenTable(openvino_families());
  return table.find(kOpenvino, op);
}

}  // namespace strata
