#include "read/onnx/loading.h"

#include <algorithm>

#include <fmt/format.h>

namespace strata::onnx {

void Loading::too_many_nodes() const {
  source.wrong(fmt::format("the model has more than {} nodes{}", options.max_nodes,
                           functions.empty() ? "" : " once its functions are inlined"),
               Code::OverLimit);
}

void Loading::too_many_tensors() const {
  source.wrong(fmt::format("the model has more than {} tensors", options.max_tensors),
               Code::OverLimit);
}

void Loading::count_list_items(std::uint64_t count) {
  list_items += count;
  source.steps += count;
  if (list_items > options.max_list_items)
    source.wrong(fmt::format("the model's attributes have more than {} list elements",
                             options.max_list_items),
                 Code::OverLimit);
}

std::string_view Loading::make_name(std::string_view prefix, std::string_view name) {
  if (name.empty()) return prefix;
  const bool slash = !name.starts_with('/');
  const std::size_t size = prefix.size() + (slash ? 1 : 0) + name.size();
  constexpr std::uint64_t kBytesPerNode = 256;
  made_up_bytes += size;
  if (made_up_bytes / kBytesPerNode > options.max_nodes)
    source.wrong("the names inside its functions need too much memory once they are inlined",
                 Code::OverLimit);
  const auto joined = model.keep_span<char>(size);
  char* at = std::copy(prefix.begin(), prefix.end(), joined.data());
  if (slash) *at++ = '/';
  std::copy(name.begin(), name.end(), at);
  return {joined.data(), size};
}

std::string_view Loading::unique_prefix(std::string_view prefix) {
  const auto first = prefixes.insert(prefix, 0);
  if (first.is_new) return prefix;
  std::uint32_t number = first.value;
  std::string_view numbered;
  do {
    numbered = model.keep(fmt::format("{}_{}", prefix, ++number));
    made_up_bytes += numbered.size();
  } while (!prefixes.insert(numbered, 0).is_new);
  *prefixes.find(prefix) = number;
  return numbered;
}

void Loading::note(std::string text) {
  constexpr std::size_t kMostNotes = 20;
  if (model.notes.size() < kMostNotes &&
      std::find(model.notes.begin(), model.notes.end(), text) == model.notes.end())
    model.notes.push_back(std::move(text));
}

}  // namespace strata::onnx
