// State that all parts of one read share.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/name_table.h"
#include "read/torch/counting.h"
#include "read/torch/json.h"
#include "read/torch/modules.h"
#include "strata/graph/graph.h"
#include "strata/read/read.h"

namespace strata::pt2 {

using torch::Broken;
using torch::JsonArray;
using torch::JsonObject;
using torch::JsonText;
using torch::Modules;

// Sizes by their text: a network repeats the same few formulas at every tensor.
class SizeTexts {
 public:
  // The text stays where it is, since it is part of the file.
  Expr formula_of(std::string_view text);

 private:
  NameTable numbers_;
  std::vector<Expr> formulas_;
};

struct Loading : torch::Counting {
  Modules modules;
  SizeTexts sizes;
  std::int32_t aten_version = 1;
  int loops = 0;  // whose number of runs only the data decide
};

// The type that a TensorMeta states: element type and sizes. Strides and devices are skipped.
TypeInfo read_type(Loading& loading, JsonText& json);

// The member that a union has: `{"as_int": 3}` calls take("as_int") with 3 next.
template <class Take>
void read_union(JsonText& json, const Take& take) {
  for (JsonObject member(json); member.next();)
    if (!take(member.key())) json.skip();
}

}  // namespace strata::pt2
