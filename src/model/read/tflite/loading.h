// State that all parts of one read share.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "read/flatbuffer/wire.h"
#include "read/onnx/scopes.h"
#include "read/torch/counting.h"
#include "strata/graph/graph.h"
#include "strata/read/read.h"

namespace strata::tflite {

using flatbuffer::List;
using flatbuffer::Table;
using flatbuffer::Wire;
using torch::Broken;

struct OperatorName {
  std::string_view op;      // `CONV_2D`; of a custom operator, its own name
  std::string_view domain;  // kDomain or kCustom
  std::int32_t version = 1;
};

// Facts about the whole file, for its notes.
struct Counts {
  std::int64_t unpacked_halves = 0;  // DEQUANTIZE of stored float16 that is folded into its readers
  std::int64_t unpacked_sparse = 0;  // DENSIFY, likewise
  std::int64_t unpacked_integers = 0;
  std::int64_t per_tensor = 0, per_channel = 0, per_block = 0;  // quantized tensors
  std::int64_t sparse = 0, sparse_elements = 0, sparse_stored = 0, sparse_bytes = 0;
  std::int64_t initializations = 0;  // CALL_ONCE
  std::int64_t outside = 0;          // tensors in other files
};

struct Loading : torch::Counting {
  Loading(Model& made, const ReadOptions& limits, const Wire& bytes)
      : Counting{made, limits}, wire(bytes), scopes(made) {}

  const Wire& wire;
  Table file;  // the root
  onnx::ScopeTree scopes;
  std::vector<OperatorName> operators;  // by their index in the file
  List buffers, subgraphs, external_buffers, external_groups;
  std::vector<std::uint32_t> subgraphs_read;  // the subgraph of each of the model's graphs
  // The tensor in a buffer that was read last: equal constants share one.
  std::vector<const TensorData*> by_buffer;
  bool has_open_sizes = false;
  Counts counts;
};

// Reads the names of the kinds of operators.
void read_operator_codes(Loading& loading);

// A list of tensors' numbers, or of sizes.
std::vector<std::int32_t> integers_of(Loading& loading, const Table& table, std::uint16_t slot);

}  // namespace strata::tflite
