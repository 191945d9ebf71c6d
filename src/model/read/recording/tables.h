// The parts of a recording that are tables: module calls, tensors, and what is stored or given.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "read/torch/counting.h"
#include "read/torch/json.h"
#include "read/torch/modules.h"
#include "strata/graph/graph.h"

namespace strata::recording {

using torch::JsonArray;
using torch::JsonObject;
using torch::JsonText;

// A row of a table. What is at its end may be left out.
class Row {
 public:
  explicit Row(JsonText& json) : json_(json), items_(json) {}
  // True if there is another item, which then has to be taken.
  bool next() { return !ended_ && !(ended_ = !items_.next()); }
  // Like above, for an item that may be null, which is taken.
  bool has_next() { return next() && !json_.take_null(); }
  void skip_rest() {
    while (next()) json_.skip();
  }

 private:
  JsonText& json_;
  JsonArray items_;
  bool ended_ = false;
};

struct Loading : torch::Counting {
  torch::Modules modules;
  std::vector<ScopeId> scopes;  // by number of the module call in the recording
  // One entry per tensor of the recording, whose number is its TensorId, too.
  struct Place {
    std::int64_t storage = -1;  // -1: not stated
    std::int64_t offset = 0;
  };
  std::vector<Place> places;
  std::vector<Shared<TypeInfo>> kinds;  // that tensors refer to

  Graph& graph() { return model.graph(); }
  ScopeId scope(std::int64_t call) const;
  TensorId tensor(std::int64_t number) const;
  const Shared<TypeInfo>& kind(std::int64_t number) const;
};

// A tensor's number that an entry of a table states; kNone for null.
TensorId take_tensor(const Loading& loading, JsonText& json);

// The table after the member's name is next.
void read_modules(Loading& loading, JsonText& json);
void read_kinds(Loading& loading, JsonText& json);
void read_tensors(Loading& loading, JsonText& json);
// Tensors of these tables get their names and roles.
void read_stored(Loading& loading, JsonText& json, std::vector<TensorId>& stored);
void read_given(Loading& loading, JsonText& json, std::vector<TensorId>& given);

// Makes initializers of the stored tensors, in this order. Those that are the same memory, seen in
// the same way, are one.
void store(Loading& loading, std::vector<TensorId>& parameters, std::vector<TensorId>& others);

}  // namespace strata::recording
