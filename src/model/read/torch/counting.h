// Counts the parts of a model that is being read, and limits them.
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
  std::uint64_t entries = 0, list_items = 0, text_bytes = 0;

  // Each of these counts against its limit.
  void count_node();
  void count_tensor();
  void count_entry();  // of a table, such as that of weights or of ranges of sizes
  void count_list_items(std::size_t count);
  // Text that is not in the file, such as names of inlined nodes: to be counted before it is made.
  void count_text(std::size_t bytes);
  // Adds a sentence to Model::notes, without duplicates and up to a limit.
  void note(std::string text);
};

}  // namespace strata::torch
