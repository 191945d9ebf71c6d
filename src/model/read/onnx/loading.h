// State that all parts of one read share.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "read/onnx/external.h"
#include "read/onnx/folded_norm.h"
#include "read/onnx/functions.h"
#include "read/onnx/scopes.h"
#include "read/onnx/wire.h"
#include "strata/graph/graph.h"
#include "strata/read/read.h"

namespace strata::onnx {

struct Loading {
  Model& model;
  Source& source;
  const ReadOptions& options;
  ExternalFiles external;
  ScopeTree scopes;
  Functions functions;
  FoldedNorms folded_norms;
  std::uint64_t nodes = 0;
  std::uint64_t tensors = 0;
  std::uint64_t list_items = 0;
  std::uint64_t made_up_bytes = 0;  // size of the names that are not in the file
  NameTable prefixes;               // of inlined calls, with how often each was requested
  std::int32_t own_opset = 0;       // of ONNX's operators outside functions; 0: not yet looked up

  // Each of these counts against its limit.
  void count_node() {
    if (++nodes > options.max_nodes) too_many_nodes();
  }
  void count_tensor() {
    if (++tensors > options.max_tensors) too_many_tensors();
  }
  void count_list_items(std::uint64_t count);
  // Makes `prefix/name`, which the model keeps.
  std::string_view make_name(std::string_view prefix, std::string_view name);
  // This prefix, followed by a number if it was used before.
  std::string_view unique_prefix(std::string_view prefix);
  // Adds a sentence to Model::notes, without duplicates and up to a limit.
  void note(std::string text);

 private:
  [[noreturn]] void too_many_nodes() const;
  [[noreturn]] void too_many_tensors() const;
};

}  // namespace strata::onnx
