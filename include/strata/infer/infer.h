// Works out the type and shape of every tensor of a model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "strata/base/result.h"
#include "strata/graph/graph.h"

namespace strata {

struct InferOptions {
  std::vector<std::pair<std::string, Dims>> input_shapes;     // by input name
  std::vector<std::pair<std::string, std::int64_t>> sizes;    // by symbol: batch=8
  std::optional<std::int64_t> batch;                          // first axis of every input
  std::vector<std::pair<std::string, Value>> input_values;    // inputs whose elements are given
  std::vector<std::pair<std::string, TypeInfo>> input_types;  // sequences, optionals, …
  // Element types of inputs whose file does not state them. A type that the file states has to be
  // the same.
  std::vector<std::pair<std::string, DType>> element_types;
  double limit = 1;  // multiplies what shapes may cost in proportion to the file (docs/limits.md)
};

struct Inference {
  // A symbol in the shapes that nobody gave a number for.
  struct Symbol {
    std::string name;
    std::string origin;              // `axis 0 of input "x"`, `known only when NonZero "/nz" runs`
    bool needs_data;                 // the shapes of the inputs cannot determine it
    Expr at_most = Expr::unknown();  // the largest that data can make it
  };
  std::vector<Symbol> symbols;
  // Operators with no rule, without duplicates: `com.acme.Frobnicate`.
  std::vector<std::string> unsupported;
  // Facts that the file has and that are still unknown, one sentence each.
  std::vector<std::string> notes;
};

// Fills in Tensor::type (and Tensor::value where elements follow from the file)
// for every tensor. An operator without a rule leaves its outputs unknown; a
// model that contradicts itself is an error that names the node.
Result<Inference> infer(Model& model, const InferOptions& options = {});

}  // namespace strata
