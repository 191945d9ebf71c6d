// Which matrix of which layer a tensor of a safetensors file belongs to, by its name. Scales, zeros
// and blocks of quantized matrices count with the matrix.
#include "llm/stored_types.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "strata/llm/count.h"
#include "strata/llm/matrix.h"

namespace strata::llm {

namespace {

struct Alias {
  std::string_view module, first, second = {}, third = {};  // matrices side by side
};
constexpr Alias kAliases[] = {
    {"w1", "gate_proj"},
    {"w3", "up_proj"},
    {"w2", "down_proj"},
    {"gate", "router"},
    {"gate_up_proj", "gate_proj", "up_proj"},
    {"qkv_proj", "q_proj", "k_proj", "v_proj"},
    {"query_key_value", "q_proj", "k_proj", "v_proj"},
    {"Wqkv", "q_proj", "k_proj", "v_proj"},
    {"kv_a_proj_with_mqa", "kv_a_proj"},
    {"dense", "o_proj"},
    {"dense_h_to_4h", "up_proj"},
    {"dense_4h_to_h", "down_proj"},
    {"fc1", "up_proj"},
    {"fc2", "down_proj"},
    {"out_proj", "o_proj"},
    {"shared_expert_gate", "shared_gate"},
};

std::vector<std::string_view> parts_of(std::string_view name) {
  std::vector<std::string_view> out;
  while (!name.empty()) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    out.push_back(name.substr(0, dot));
    name.remove_prefix(std::min(dot + 1, name.size()));
  }
  return out;
}

std::string_view without_end(std::string_view name) {
  for (const std::string_view end : {"_blocks", "_scales"})
    if (name.ends_with(end)) return name.substr(0, name.size() - end.size());
  return name;
}

// The last word of a tensor that is not its matrix's name.
bool is_kind_of_tensor(std::string_view word) {
  for (const std::string_view kind : {"weight", "weight_scale", "weight_scale_inv", "weight_packed",
                                      "weight_shape", "qweight", "qzeros", "scales", "g_idx"})
    if (word == kind) return true;
  return false;
}

class ByMatrix {
 public:
  explicit ByMatrix(const Network& network) {
    for (const Layer& layer : network.layers) {
      std::vector<StoredMatrix> row;
      for (const Matrix& m : matrices_of(layer, network.hidden))
        row.push_back({m.part, m.name, static_cast<double>(m.elements()), 0});
      layers_.push_back(std::move(row));
    }
    for (const Matrix& m : outer_matrices_of(network))
      outside_.push_back({m.part, m.name, static_cast<double>(m.elements()), 0});
  }

  void add(const StoredWeight& tensor) {
    std::vector<std::string_view> parts = parts_of(tensor.name);
    if (parts.size() < 2 || parts.back().ends_with("bias")) return;
    if (is_kind_of_tensor(parts.back())) parts.pop_back();
    const std::string_view module = without_end(parts.back());
    const auto bytes = static_cast<double>(tensor.bytes);
    bool is_expert = false, is_shared = false;
    std::optional<std::size_t> layer;
    for (const std::string_view part : parts) {
      is_expert = is_expert || part == "experts";
      is_shared = is_shared || part.starts_with("shared_expert") || part == "shared_mlp";
      std::size_t number = 0;
      const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
      if (!layer && error == std::errc() && end == part.data() + part.size()) layer = number;
    }
    if (!layer) return add_outside(module, bytes);
    if (*layer >= layers_.size()) return;
    std::vector<StoredMatrix*> found;
    const auto find = [&](std::string_view name) {
      for (StoredMatrix& one : layers_[*layer])
        if (one.name == name && (one.part == Part::Experts) == is_expert &&
            (one.part == Part::Shared) == (is_shared && !is_expert && name != "shared_gate"))
          found.push_back(&one);
    };
    find(module);
    for (const Alias& alias : kAliases) {
      if (!found.empty() || alias.module != module) continue;
      for (const std::string_view name : {alias.first, alias.second, alias.third})
        if (!name.empty()) find(name);
    }
    double all = 0;
    for (const StoredMatrix* one : found) all += one->elements;
    for (StoredMatrix* one : found) one->bytes += bytes * one->elements / all;
  }

  bool is_complete() const {
    const auto found = [](const StoredMatrix& one) { return one.bytes > 0 || one.elements == 0; };
    return std::all_of(outside_.begin(), outside_.end(), found) &&
           std::all_of(layers_.begin(), layers_.end(), [&](const std::vector<StoredMatrix>& row) {
             return std::all_of(row.begin(), row.end(), found);
           });
  }

  void give_to(Network& network) && {
    network.stored = std::move(layers_);
    network.stored_outside = std::move(outside_);
  }

 private:
  void add_outside(std::string_view module, double bytes) {
    const bool is_head = module == "lm_head" || module == "embed_out";
    const bool is_table = module == "embed_tokens" || module == "wte" || module == "embed_in" ||
                          module == "word_embeddings" || module == "embeddings";
    for (StoredMatrix& one : outside_)
      if ((one.part == Part::Head && is_head) || (one.name == "embed_tokens" && is_table))
        one.bytes += bytes;
      else if (one.name == "positions" && (module == "wpe" || module == "embed_positions"))
        one.bytes += bytes;
  }

  std::vector<std::vector<StoredMatrix>> layers_;
  std::vector<StoredMatrix> outside_;
};

}  // namespace

void use_stored_types(const Weights& weights, Network& network) {
  ByMatrix by_matrix(network);
  double bytes = 0;
  for (const StoredWeight& tensor : weights.tensors) {
    if (!tensor.same_as.empty()) continue;
    bytes += static_cast<double>(tensor.bytes);
    by_matrix.add(tensor);
  }
  const auto parameters = static_cast<double>(parameters_of(network).all);
  const std::string file = std::filesystem::path(weights.path).filename().string();
  network.notes.push_back(fmt::format("{}: {:.2f} bits per weight, by its header", file,
                                      parameters > 0 ? bytes * 8 / parameters : 0));
  if (by_matrix.is_complete())
    std::move(by_matrix).give_to(network);
  else
    network.notes.push_back(
        fmt::format("{} does not have every matrix of the network by a name that strata knows; "
                    "types are those of config.json",
                    file));
}

Status use_stored_types(const std::string& folder, Network& network) {
  for (const char* name : {"model.safetensors.index.json", "model.safetensors"}) {
    const std::string path = (std::filesystem::path(folder) / name).string();
    std::error_code error;
    if (!std::filesystem::exists(path, error)) continue;
    // Shards may not be there yet; config.json is enough for everything else.
    const auto weights = read_weights(Source(path));
    if (weights)
      use_stored_types(*weights, network);
    else
      network.notes.push_back(
          fmt::format("types of weights are those of config.json: {}", weights.error().message));
    return {};
  }
  return {};
}

}  // namespace strata::llm
