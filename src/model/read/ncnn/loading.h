// State that all parts of one read share.
#pragma once

#include <string_view>
#include <vector>

#include "read/ncnn/text.h"
#include "read/torch/counting.h"
#include "strata/graph/graph.h"
#include "strata/read/read.h"

namespace strata::ncnn {

// Elements of the .bin file, which has those of all layers one after the other.
struct Stored {
  const TensorData* data = nullptr;  // null: scales, which no layer computes with as weights
  std::int64_t elements = 0;
  bool has_tag = false;  // four bytes before it say how they are stored
};

struct Loading : torch::Counting {
  Loading(Model& made, const ReadOptions& limits) : Counting{made, limits} {}

  std::vector<Stored> stored;
};

}  // namespace strata::ncnn
