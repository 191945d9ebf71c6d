#include "ops/tflm_memory.h"

#include <algorithm>

namespace strata {

namespace {

// Sizes of structures in TFLite Micro's sources, as a compiler lays them out for ARM and for
// x86-64. tests/tflm/make_kernels.py writes networks of these operators; the package prints what
// they take.
constexpr TflmMemory kMemory[] = {
    {"ABS", {}, {28, 28}},
    {"ADD", {8, 8}, {60, 60}},
    {"ADD_N", {}, {40, 40}, true},
    {"ARG_MAX", {4, 4}, {}},
    {"ARG_MIN", {4, 4}, {}},
    {"ASSIGN_VARIABLE", {}, {0, 4}},
    {"AVERAGE_POOL_2D", {40, 40}, {32, 32}},
    {"BATCH_MATMUL", {3, 3}, {16, 32}},
    {"CALL_ONCE", {4, 4}, {8, 8}},
    {"CAST", {8, 8}, {}},
    {"CONCATENATION", {8, 8}, {24, 80}},
    {"CONV_2D", {28, 28}, {56, 80}},
    {"CUMSUM", {2, 2}, {36, 36}, true},
    {"DEPTHWISE_CONV_2D", {28, 28}, {56, 80}},
    {"DEPTH_TO_SPACE", {4, 4}, {}},
    {"DEQUANTIZE", {}, {28, 28}},
    {"DIV", {4, 4}, {28, 28}},
    {"ELU", {}, {256, 256}},
    {"EMBEDDING_LOOKUP", {}, {8, 16}},
    {"EQUAL", {}, {32, 32}},
    {"FULLY_CONNECTED", {24, 32}, {48, 72}},
    {"GATHER", {8, 8}, {}},
    {"GREATER", {}, {32, 32}},
    {"GREATER_EQUAL", {}, {32, 32}},
    {"HARD_SWISH", {}, {20, 20}},
    {"IF", {8, 8}, {8, 8}},
    {"L2_NORMALIZATION", {4, 4}, {4, 4}},
    {"L2_POOL_2D", {40, 40}, {}},
    {"LEAKY_RELU", {4, 4}, {24, 24}},
    {"LESS", {}, {32, 32}},
    {"LESS_EQUAL", {}, {32, 32}},
    {"LOGISTIC", {}, {16, 16}},
    {"LOG_SOFTMAX", {}, {28, 40}, true},
    {"MAX_POOL_2D", {40, 40}, {32, 32}},
    {"MEAN", {1, 1}, {44, 44}},
    {"MIRROR_PAD", {4, 4}, {20, 20}},
    {"MUL", {4, 4}, {36, 36}},
    {"NOT_EQUAL", {}, {32, 32}},
    {"PACK", {8, 8}, {}},
    {"PAD", {}, {56, 56}},
    {"PADV2", {}, {56, 56}},
    {"PRELU", {}, {28, 28}},
    {"QUANTIZE", {}, {28, 28}},
    {"REDUCE_ALL", {1, 1}, {44, 44}},
    {"REDUCE_MAX", {1, 1}, {44, 44}},
    {"REDUCE_MIN", {1, 1}, {44, 44}},
    {"RELU", {}, {28, 28}},
    {"RELU6", {}, {8, 8}},
    {"RESHAPE", {36, 36}, {}},
    {"RESIZE_BILINEAR", {2, 2}, {}},
    {"RESIZE_NEAREST_NEIGHBOR", {2, 2}, {}},
    {"RSQRT", {}, {28, 28}},
    {"SELECT_V2", {}, {1, 1}},
    {"SHAPE", {4, 4}, {}},
    {"SOFTMAX", {4, 4}, {56, 80}},
    {"SPACE_TO_BATCH_ND", {}, {4, 4}},
    {"SPACE_TO_DEPTH", {4, 4}, {}},
    {"SPLIT", {4, 4}, {}},
    {"SPLIT_V", {4, 4}, {}},
    {"SQUARED_DIFFERENCE", {}, {112, 112}},
    {"SQUEEZE", {36, 36}, {}},
    {"STRIDED_SLICE", {24, 24}, {84, 84}},
    {"SUB", {8, 8}, {52, 52}},
    {"SUM", {1, 1}, {44, 44}},
    {"SVDF", {12, 12}, {36, 36}},
    {"TANH", {}, {16, 16}},
    {"TRANSPOSE_CONV", {20, 20}, {72, 88}},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", {16, 16}, {688, 688}},
    {"UNPACK", {8, 8}, {}},
    {"VAR_HANDLE", {8, 16}, {4, 4}},
    {"WHILE", {8, 8}, {8, 8}},
};

}  // namespace

TflmMemory tflm_memory(std::string_view op) {
  const auto* row =
      std::lower_bound(std::begin(kMemory), std::end(kMemory), op,
                       [](const TflmMemory& m, std::string_view name) { return m.op < name; });
  if (row == std::end(kMemory) || row->op != op) return {op, {}, {}};
  return *row;
}

}  // namespace strata
