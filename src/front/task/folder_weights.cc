#include "task/folder_weights.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/visible.h"

namespace strata {

namespace {

namespace fs = std::filesystem;

// A parameter of the network, and what the files have of it.
struct Expected {
  Dims dims;
  std::uint64_t elements = 0, found = 0;
  bool is_other_shape = false;
};

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Files have each expert by itself, and name Mixtral's as its authors did. transformers holds the
// experts of a layer in two tensors. Empty: no expert's.
std::string joined_expert(std::string_view name) {
  constexpr std::string_view kMixtral = ".block_sparse_moe.", kOwn = ".mlp.";
  constexpr std::string_view kExperts = "experts.";
  for (const std::string_view block : {kMixtral, kOwn}) {
    const std::size_t at = name.find(block);
    if (at == name.npos) continue;
    const std::string_view layer = name.substr(0, at);
    std::string_view rest = name.substr(at + block.size());
    if (rest == "gate.weight" && block == kMixtral) return fmt::format("{}.mlp.gate.weight", layer);
    if (!rest.starts_with(kExperts)) continue;
    rest.remove_prefix(kExperts.size());
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    if (!all_digits(rest.substr(0, dot))) continue;
    const std::string_view part = rest.substr(std::min(dot + 1, rest.size()));
    const bool is_first = part == "w1.weight" || part == "w3.weight" ||
                          part == "gate_proj.weight" || part == "up_proj.weight";
    const bool is_second = part == "w2.weight" || part == "down_proj.weight";
    if (is_first || is_second)
      return fmt::format("{}.mlp.experts.{}", layer, is_first ? "gate_up_proj" : "down_proj");
  }
  return {};
}

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i)
    shown.push_back(visible(names[i]));
  const std::string more =
      names.size() > kShown ? fmt::format(" and {} more", names.size() - kShown) : "";
  return fmt::format("{}{}", fmt::join(shown, ", "), more);
}

std::map<std::string, Expected, std::less<>> parameters_of(const Model& model) {
  std::map<std::string, Expected, std::less<>> out;
  for (const Tensor& tensor : model.graph().tensors) {
    if (tensor.role != Role::Initializer || tensor.data == nullptr) continue;
    // Tensors beside the parameters have their elements in the model.
    if (tensor.data->store != TensorData::Store::Absent) continue;
    const Expr elements = tensor.data->elements();
    if (!elements.is_number()) continue;
    out[std::string(tensor.name)] = {tensor.type->dims,
                                     static_cast<std::uint64_t>(elements.value())};
  }
  return out;
}

// Empty: the folder has no weights.
std::string weights_in(const std::string& folder) {
  for (const char* name :
       {"model.safetensors.index.json", "model.safetensors", "pytorch_model.bin"}) {
    std::error_code ignored;
    const fs::path path = fs::path(folder) / name;
    if (fs::exists(path, ignored)) return path.string();
  }
  return "";
}

}  // namespace

std::vector<std::string> compare_weights(const Weights& weights, const Model& model) {
  auto expected = parameters_of(model);
  std::vector<std::string> strange, missing, other;
  for (const StoredWeight& weight : weights.tensors) {
    auto found = expected.find(weight.name);
    const bool is_whole = found != expected.end();
    if (!is_whole) found = expected.find(joined_expert(weight.name));
    if (found == expected.end()) {
      strange.push_back(weight.name);
      continue;
    }
    Expected& own = found->second;
    own.found += weight.elements;
    if (!is_whole) continue;  // a part: only the sum of its elements is known
    Dims dims;
    for (const std::int64_t size : weight.dims) dims.push_back(size);
    if (dims != own.dims) own.is_other_shape = true;
  }
  for (const auto& [name, own] : expected) {
    if (own.found == 0 && own.elements > 0)
      missing.push_back(name);
    else if (own.is_other_shape || own.found != own.elements)
      other.push_back(name);
  }
  const std::string file = fs::path(weights.path).filename().string();
  if (strange.empty() && missing.empty() && other.empty())
    return {fmt::format("{} has the network's {} parameter tensors, of the same sizes", file,
                        expected.size())};
  std::vector<std::string> notes;
  if (!missing.empty())
    notes.push_back(fmt::format("{} lacks tensors of the network: {}", file, some_of(missing)));
  if (!strange.empty())
    notes.push_back(
        fmt::format("{} has tensors that the network lacks: {}", file, some_of(strange)));
  if (!other.empty())
    notes.push_back(
        fmt::format("{} has tensors of other sizes than the network: {}", file, some_of(other)));
  return notes;
}

Result<std::vector<std::string>> compare_folder_weights(const std::string& folder,
                                                        const Model& model, double limit) {
  const std::string path = weights_in(folder);
  if (path.empty()) return std::vector<std::string>();
  const auto weights = read_weights(path, {.limit = limit});
  if (!weights) return failure(weights);
  return compare_weights(*weights, model);
}

}  // namespace strata
