// A network with its costs and layers, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <utility>

#include "graph/text.h"
#include "strata/cost/cost.h"
#include "strata/cost/layers.h"
#include "strata/infer/infer.h"

namespace strata::test {

struct Counted {
  Model model;
  Costs costs = {};
  Layers layers = {};
};

inline Counted counted(Model model, const InferOptions& options = {}) {
  const auto inference = infer(model, options);
  EXPECT_TRUE(inference) << inference.error().message;
  Counted out{std::move(model)};
  out.costs = count(out.model);
  out.layers = find_layers(out.model, out.costs);
  return out;
}

inline Counted counted(std::string_view text) {
  auto model = model_from_text(text);
  EXPECT_TRUE(model) << model.error().message;
  return counted(std::move(*model));
}

}  // namespace strata::test
