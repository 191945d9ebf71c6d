// The weight matrices of a layer, from its record.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "strata/llm/network.h"

namespace strata::llm {

// How tensor parallelism divides a matrix.
enum class Split : std::uint8_t {
  Copied,     // every device holds all of it
  Columns,    // by outputs
  KvColumns,  // by heads of keys and values; more devices than heads hold copies
  Rows,       // by inputs
};

struct Matrix {
  std::string_view name;  // `q_proj`
  Part part = Part::Attention;
  Split split = Split::Copied;
  std::int64_t inputs = 0, outputs = 0;
  std::int64_t copies = 1;  // experts
  std::int64_t used = 1;    // of them by one token
  bool bias = false;

  std::int64_t elements() const { return inputs * outputs * copies; }
  std::int64_t biases() const { return bias ? outputs * copies : 0; }
  std::int64_t macs() const { return inputs * outputs * used; }  // per token
};

std::vector<Matrix> matrices_of(const Layer& layer, std::int64_t hidden);
// The embedding, a table of positions and the head. A tied head has no elements of its own: it is
// not in the list.
std::vector<Matrix> outer_matrices_of(const Network& network);
// Elements of a layer that are in no matrix and no bias of one: norms, sinks, decays.
std::int64_t vector_elements_of(const Layer& layer, std::int64_t hidden);

}  // namespace strata::llm
