// State that all parts of one read share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_table.h"
#include "read/pt2/json.h"
#include "read/pt2/modules.h"
#include "strata/graph/graph.h"
#include "strata/read/read.h"

namespace strata::pt2 {

// Sizes by their text: a network repeats the same few formulas at every tensor.
class SizeTexts {
 public:
  // What it says stays where it is, since it is part of the file.
  Expr formula_of(std::string_view text);

 private:
  NameTable numbers_;
  std::vector<Expr> formulas_;
};

struct Loading {
  Model& model;
  const ReadOptions& options;
  Modules modules;
  SizeTexts sizes;
  std::int32_t aten_version = 1;
  std::uint64_t nodes = 0;
  std::uint64_t tensors = 0;
  int loops = 0;  // whose number of runs only the data decide

  // Each of these counts against its limit.
  void count_node();
  void count_tensor();
  // Adds a sentence to Model::notes, without duplicates and up to a limit.
  void note(std::string text);
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
