#include "llm/gguf_tensors.h"

namespace strata::llm {

namespace {

struct MatrixRow {
  const char* tensor;  // in a GGUF file
  Part part;
  std::string_view name;  // ours
};
// A fused matrix stands for each of its parts; MLA's kv_b may be stored in two.
constexpr MatrixRow kRows[] = {
    {"attn_q", Part::Attention, "q_proj"},
    {"attn_k", Part::Attention, "k_proj"},
    {"attn_v", Part::Attention, "v_proj"},
    {"attn_qkv", Part::Attention, "q_proj"},
    {"attn_qkv", Part::Attention, "k_proj"},
    {"attn_qkv", Part::Attention, "v_proj"},
    {"attn_output", Part::Attention, "o_proj"},
    {"attn_q_a", Part::Attention, "q_a_proj"},
    {"attn_q_b", Part::Attention, "q_b_proj"},
    {"attn_kv_a_mqa", Part::Attention, "kv_a_proj"},
    {"attn_kv_b", Part::Attention, "kv_b_proj"},
    {"attn_k_b", Part::Attention, "kv_b_proj"},
    {"attn_v_b", Part::Attention, "kv_b_proj"},
    {"indexer.attn_q_b", Part::Attention, "indexer.wq_b"},
    {"indexer.attn_k", Part::Attention, "indexer.wk"},
    {"indexer.proj", Part::Attention, "indexer.weights_proj"},
    {"ssm_in", Part::State, "in_proj"},
    {"ssm_conv1d", Part::State, "conv1d"},
    {"ssm_x", Part::State, "x_proj"},
    {"ssm_dt", Part::State, "dt_proj"},
    {"ssm_out", Part::State, "out_proj"},
    {"shortconv.in_proj", Part::State, "in_proj"},
    {"shortconv.conv", Part::State, "conv1d"},
    {"shortconv.out_proj", Part::State, "out_proj"},
    {"ffn_gate", Part::Mlp, "gate_proj"},
    {"ffn_up", Part::Mlp, "up_proj"},
    {"ffn_down", Part::Mlp, "down_proj"},
    {"ffn_gate_inp", Part::Router, "router"},
    {"ffn_gate_inp_shexp", Part::Router, "shared_gate"},
    {"ffn_gate_exps", Part::Experts, "gate_proj"},
    {"ffn_up_exps", Part::Experts, "up_proj"},
    {"ffn_down_exps", Part::Experts, "down_proj"},
    {"ffn_gate_shexp", Part::Shared, "gate_proj"},
    {"ffn_up_shexp", Part::Shared, "up_proj"},
    {"ffn_down_shexp", Part::Shared, "down_proj"},
};

// The matrices that store the gated delta rule's input projection.
constexpr const char* kDeltaInputs[] = {"attn_qkv", "attn_gate", "ssm_ba", "ssm_beta", "ssm_alpha"};

constexpr const char* kNorms[] = {"attn_norm",       "attn_norm_2",    "post_attention_norm",
                                  "attn_post_norm",  "ffn_norm",       "post_ffw_norm",
                                  "ffn_post_norm",   "layer_out_norm", "layer_output_norm",
                                  "attn_output_norm"};

}  // namespace

void LayerTensors::add(std::string_view name, const StoredWeight& tensor) {
  tensors_.emplace(std::string(name), &tensor);
}

const StoredWeight* LayerTensors::weight(const char* name) const {
  const auto found = tensors_.find(std::string(name) + ".weight");
  return found == tensors_.end() ? nullptr : found->second;
}

bool LayerTensors::is_delta() const {
  return has("ssm_conv1d") && (has("ssm_ba") || has("ssm_beta"));
}

bool LayerTensors::has_bias(const char* name) const {
  return tensors_.find(std::string(name) + ".bias") != tensors_.end();
}

std::int64_t LayerTensors::size(std::initializer_list<const char*> names, std::size_t axis) const {
  for (const char* name : names)
    if (const StoredWeight* tensor = weight(name); tensor != nullptr && axis < tensor->dims.size())
      return tensor->dims[axis];
  return 0;
}

int LayerTensors::norms(std::int64_t hidden) const {
  int count = 0;
  for (const char* name : kNorms) {
    const StoredWeight* tensor = weight(name);
    if (tensor == nullptr || tensor->elements != static_cast<std::uint64_t>(hidden)) continue;
    count += has_bias(name) ? 2 : 1;
  }
  return count;
}

std::vector<StoredMatrix> LayerTensors::stored() const {
  std::vector<StoredMatrix> out;
  const auto add = [&](Part part, std::string_view name, const StoredWeight& tensor) {
    for (StoredMatrix& one : out) {
      if (one.part != part || one.name != name) continue;
      one.elements += static_cast<double>(tensor.elements);
      one.bytes += static_cast<double>(tensor.bytes);
      return;
    }
    out.push_back(
        {part, name, static_cast<double>(tensor.elements), static_cast<double>(tensor.bytes)});
  };
  for (const MatrixRow& row : kRows)
    if (const StoredWeight* tensor = weight(row.tensor)) add(row.part, row.name, *tensor);
  if (is_delta())
    for (const char* name : kDeltaInputs)
      if (const StoredWeight* tensor = weight(name)) add(Part::State, "in_proj", *tensor);
  // Phi-3 has the gate in the same matrix.
  if (has("ffn_up") && !has("ffn_gate")) add(Part::Mlp, "gate_proj", *weight("ffn_up"));
  return out;
}

}  // namespace strata::llm
