// What a model that is being read has so far, and how much it may have.
#pragma once

#include <cstdint>
#include <string>

#include "strata/graph/graph.h"
#include "strata/read/read.h"

namespace strata::torch {

struct Counting {
  Model& model;
  const ReadOptions& options;
  std::uint64_t nodes = 0;
  std::uint64_t tensors = 0;

  // Each of these counts against its limit.
  void count_node();
  void count_tensor();
  // Adds a sentence to Model::notes, without duplicates and up to a limit.
  void note(std::string text);
};

}  // namespace strata::torch
