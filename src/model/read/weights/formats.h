// The readers of weights, one for each format, and what they share.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strata/read/weights.h"

namespace strata::weights {

// Errors of readers are sentences without the name of the file. Readers fill in `tensors` and what
// else the file says.
bool looks_like_safetensors(std::string_view bytes);
Result<Weights> read_safetensors(std::string_view bytes, const ReadOptions& options);

bool looks_like_gguf(std::string_view bytes);
Result<Weights> read_gguf(std::string_view bytes, const ReadOptions& options);
// Like above, for a file that may end before its elements.
Result<Weights> read_gguf_header(std::string_view bytes);

bool looks_like_state_dict(std::string_view bytes);
Result<Weights> read_state_dict(std::string_view bytes, const ReadOptions& options);

bool looks_like_old_state_dict(std::string_view bytes);
Result<Weights> read_old_state_dict(std::string_view bytes, const ReadOptions& options);

// `model.safetensors.index.json`, which says which file has which tensor.
bool looks_like_index(std::string_view bytes);
Result<Weights> read_index(std::string_view bytes, const std::string& path,
                           const ReadOptions& options);

// The most axes of a PyTorch tensor.
inline constexpr std::size_t kMostAxes = 64;

// The product of the sizes; nullopt if one is negative or the product is 2^62 or more.
std::optional<std::uint64_t> elements_of(std::span<const std::int64_t> dims);

// A part of a file's data that belongs to one tensor.
struct Extent {
  std::uint64_t begin, end;
  std::size_t tensor;  // index
};
// The first two tensors, by place, that lie over each other. Sorts the extents.
struct Overlap {
  std::size_t first, second;
};
std::optional<Overlap> find_overlap(std::vector<Extent>& extents);

// `layer1.0.bn1.running_mean`: what PyTorch's norms keep beside their parameters.
bool is_statistics(std::string_view name);

}  // namespace strata::weights
