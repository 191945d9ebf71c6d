#include "read/torch/counting.h"

#include <algorithm>

#include <fmt/format.h>

#include "read/torch/broken.h"

namespace strata::torch {

namespace {

std::uint64_t limit_of(std::uint64_t most, const ReadOptions& options) {
  return static_cast<std::uint64_t>(
      std::clamp(static_cast<double>(most) * options.limit, 0.0, 1e18));
}

}  // namespace

void Counting::count_node() {
  if (++nodes > limit_of(options.max_nodes, options))
    throw Broken{fmt::format("the model has more than {} nodes", options.max_nodes),
                 Code::OverLimit};
}

void Counting::count_tensor() {
  if (++tensors > limit_of(options.max_tensors, options))
    throw Broken{fmt::format("the model has more than {} tensors", options.max_tensors),
                 Code::OverLimit};
}

void Counting::note(std::string text) {
  constexpr std::size_t kMostNotes = 20;
  if (model.notes.size() < kMostNotes &&
      std::find(model.notes.begin(), model.notes.end(), text) == model.notes.end())
    model.notes.push_back(std::move(text));
}

}  // namespace strata::torch
