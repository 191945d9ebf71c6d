#include "ops/tflm.h"

#include <algorithm>

#include "ops/sizes.h"
#include "ops/tflite_table.h"

namespace strata {

namespace {

// The builtin operators that the package's resolver finds, each tried with a network of one
// operator (tests/tflm/list_kernels.py).
constexpr std::string_view kKernels[] = {
    "ABS",
    "ADD",
    "ADD_N",
    "ARG_MAX",
    "ARG_MIN",
    "ASSIGN_VARIABLE",
    "AVERAGE_POOL_2D",
    "BATCH_MATMUL",
    "BATCH_TO_SPACE_ND",
    "BROADCAST_ARGS",
    "BROADCAST_TO",
    "CALL_ONCE",
    "CAST",
    "CEIL",
    "CONCATENATION",
    "CONV_2D",
    "COS",
    "CUMSUM",
    "DEPTHWISE_CONV_2D",
    "DEPTH_TO_SPACE",
    "DEQUANTIZE",
    "DIV",
    "DYNAMIC_UPDATE_SLICE",
    "ELU",
    "EMBEDDING_LOOKUP",
    "EQUAL",
    "EXP",
    "EXPAND_DIMS",
    "FILL",
    "FLOOR",
    "FLOOR_DIV",
    "FLOOR_MOD",
    "FULLY_CONNECTED",
    "GATHER",
    "GATHER_ND",
    "GREATER",
    "GREATER_EQUAL",
    "HARD_SWISH",
    "IF",
    "L2_NORMALIZATION",
    "L2_POOL_2D",
    "LEAKY_RELU",
    "LESS",
    "LESS_EQUAL",
    "LOG",
    "LOGICAL_AND",
    "LOGICAL_NOT",
    "LOGICAL_OR",
    "LOGISTIC",
    "LOG_SOFTMAX",
    "MAXIMUM",
    "MAX_POOL_2D",
    "MEAN",
    "MINIMUM",
    "MIRROR_PAD",
    "MUL",
    "NEG",
    "NOT_EQUAL",
    "PACK",
    "PAD",
    "PADV2",
    "PRELU",
    "QUANTIZE",
    "READ_VARIABLE",
    "REDUCE_ALL",
    "REDUCE_MAX",
    "REDUCE_MIN",
    "RELU",
    "RELU6",
    "RESHAPE",
    "RESIZE_BILINEAR",
    "RESIZE_NEAREST_NEIGHBOR",
    "REVERSE_V2",
    "ROUND",
    "RSQRT",
    "SELECT_V2",
    "SHAPE",
    "SIN",
    "SLICE",
    "SOFTMAX",
    "SPACE_TO_BATCH_ND",
    "SPACE_TO_DEPTH",
    "SPLIT",
    "SPLIT_V",
    "SQRT",
    "SQUARE",
    "SQUARED_DIFFERENCE",
    "SQUEEZE",
    "STRIDED_SLICE",
    "SUB",
    "SUM",
    "SVDF",
    "TANH",
    "TRANSPOSE",
    "TRANSPOSE_CONV",
    "UNIDIRECTIONAL_SEQUENCE_LSTM",
    "UNPACK",
    "VAR_HANDLE",
    "WHILE",
    "ZEROS_LIKE",
};

std::int64_t known(const Expr& size) { return size.number().value_or(-1); }

// Two short lists of axes and places, and for sums of integers a sum of 32 bits for each output.
TflmScratch of_reduction(const NodeView& node, bool sums) {
  TflmScratch scratch;
  const std::int64_t axes = known(node.in_elements(1));
  const std::int64_t outputs = known(node.out_elements(0));
  if (!node.ranked(0) || axes < 0 || outputs < 0) return {{}, false};
  scratch.bytes = {static_cast<std::int64_t>(4 * node.rank(0)), 4 * axes};
  if (sums && is_integer(node.dtype(0))) scratch.bytes.push_back(4 * outputs);
  return scratch;
}

// An accumulator for each output: 32 bits of int8, 64 bits of int16.
TflmScratch of_transposed(const NodeView& node) {
  const std::int64_t outputs = known(node.out_elements(0));
  if (is_float(node.dtype(2))) return {};
  if (outputs < 0) return {{}, false};
  return {{outputs * (node.dtype(2) == DType::I16 ? 8 : 4)}, true};
}

// Two lists of how many elements each axis has.
TflmScratch of_mirror(const NodeView& node) {
  if (!node.ranked(0)) return {{}, false};
  const auto list = static_cast<std::int64_t>(4 * node.rank(0));
  return {{list, list}, true};
}

// A value of each filter, and with integers a sum of each unit.
TflmScratch of_svdf(const NodeView& node) {
  if (!node.ranked(0) || node.rank(0) < 1 || !node.ranked(1)) return {{}, false};
  const std::int64_t batch = known(node.dims(0)[0]), filters = known(size_at(node.in(1), 0));
  const std::int64_t outputs = known(node.out_elements(0));
  if (batch < 0 || filters < 0 || outputs < 0) return {{}, false};
  if (is_float(node.dtype(0))) return {{4 * batch * filters}, true};
  return {{4 * batch * filters, 4 * outputs}, true};
}

// Weights of four bits, unpacked to bytes.
TflmScratch of_narrow(const NodeView& node) {
  const std::int64_t weights = known(node.in_elements(1));
  if (weights < 0) return {{}, false};
  return {{weights}, true};
}

// The four gates of one step: floats, or 16 bits.
TflmScratch of_lstm(const NodeView& node) {
  if (!node.ranked(0) || node.rank(0) != 3) return {{}, false};
  const bool steps_first = node.integer("time_major", 0) != 0;
  const std::int64_t batch = known(node.dims(0)[steps_first ? 1 : 0]);
  const std::int64_t cells = known(size_at(node.in(2), 0));
  if (batch < 0 || cells < 0) return {{}, false};
  return {std::vector<std::int64_t>(4, batch * cells * (is_float(node.dtype(0)) ? 4 : 2)), true};
}

// A list of pointers, here of 64 bits.
TflmScratch of_sum(const NodeView& node) {
  return {{static_cast<std::int64_t>(8 * node.input_count())}, true};
}

}  // namespace

bool has_tflm_kernel(std::string_view op) {
  return std::binary_search(std::begin(kKernels), std::end(kKernels), op);
}

bool makes_handles(const NodeView& node) {
  return node.node().domain == kTflite && node.node().op == "VAR_HANDLE";
}

TflmScratch tflm_scratch(const NodeView& node) {
  const std::string_view op = node.node().op;
  if (op == "MEAN" || op == "SUM") return of_reduction(node, true);
  if (op == "REDUCE_MAX" || op == "REDUCE_MIN" || op == "REDUCE_ALL")
    return of_reduction(node, false);
  if (op == "MIRROR_PAD") return of_mirror(node);
  if (op == "SVDF") return of_svdf(node);
  if (op == "UNIDIRECTIONAL_SEQUENCE_LSTM") return of_lstm(node);
  if (op == "ADD_N") return of_sum(node);
  if (op == "TRANSPOSE_CONV") return of_transposed(node);
  const bool has_weights = op == "CONV_2D" || op == "DEPTHWISE_CONV_2D" || op == "FULLY_CONNECTED";
  if (has_weights && node.has(1) && node.dtype(1) == DType::I4) return of_narrow(node);
  return {{}, node.node().domain == kTflite && has_tflm_kernel(op)};
}

}  // namespace strata
