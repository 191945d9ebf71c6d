// State that all parts of one read share.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "read/onnx/scopes.h"
#include "read/openvino/net.h"
#include "strata/base/text_map.h"

namespace strata::openvino {

// Facts about the whole file, for its notes.
struct Counts {
  std::int64_t unpacked_halves = 0, unpacked_integers = 0;  // operators that are folded
  std::int64_t biases = 0;
};

struct Loading : torch::Counting {
  Loading(Model& made, const ReadOptions& limits) : Counting{made, limits}, scopes(made) {}

  onnx::ScopeTree scopes;
  // The .bin file: null if it is not there.
  std::shared_ptr<const MappedFile> weights;
  std::string_view weights_name;
  // Constants by their place in the .bin file, where equal ones are written once.
  NumberMap<std::vector<const TensorData*>> by_offset;
  // Copies of stored tensors with other sizes, by the address of the first.
  NumberMap<std::vector<const TensorData*>> with_sizes;
  bool has_open_sizes = false;
  Counts counts;
};

}  // namespace strata::openvino
