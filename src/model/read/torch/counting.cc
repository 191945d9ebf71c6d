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

void Counting::count_entry() {
  if (++entries > limit_of(options.max_tensors, options))
    throw Broken{fmt::format("its tables have more than {} entries", options.max_tensors),
                 Code::OverLimit};
}

void Counting::count_list_items(std::size_t count) {
  list_items += count;
  if (list_items > limit_of(options.max_list_items, options))
    throw Broken{fmt::format("the model's attributes have more than {} list elements",
                             options.max_list_items),
                 Code::OverLimit};
}

void Counting::count_text(std::size_t bytes) {
  constexpr std::uint64_t kBytesPerNode = 256;
  text_bytes += bytes;
  if (text_bytes / kBytesPerNode > limit_of(options.max_nodes, options))
    throw Broken{"the names of its inlined nodes need too much memory", Code::OverLimit};
}

void Counting::note(std::string text) {
  constexpr std::size_t kMostNotes = 20;
  if (model.notes.size() < kMostNotes &&
      std::find(model.notes.begin(), model.notes.end(), text) == model.notes.end())
    model.notes.push_back(std::move(text));
}

}  // namespace strata::torch
