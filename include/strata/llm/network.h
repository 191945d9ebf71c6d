// A language model as a list of layers, each with the record of what it computes. Readers
// (strata/llm/read.h) fill the list; everything that is counted is a function of it
// (strata/llm/count.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace strata::llm {

// How a layer mixes tokens.
enum class Mixer : std::uint8_t {
  None,
  Attention,    // one cache entry per token: full, windowed or chunked
  Latent,       // MLA: the cache holds one compressed vector per token
  Mamba1,       // state space, a state per channel
  Mamba2,       // state space, a state per head
  Delta,        // gated delta rule (Qwen3-Next)
  Lightning,    // linear attention (MiniMax)
  Convolution,  // short convolution (LFM2)
  Rwkv,         // RWKV-4
};
std::string_view name_of(Mixer mixer);

enum class Mlp : std::uint8_t { None, Gated, Plain, Experts, Rwkv };
std::string_view name_of(Mlp mlp);

// Norms of queries and keys: none, of one head's width, or of all heads' width.
enum class QkNorm : std::uint8_t { None, Head, All };

struct Layer {
  Mixer mixer = Mixer::None;
  Mlp mlp = Mlp::None;
  int norms = 0;  // vectors as wide as the model: 2 for two RMSNorms, 4 for two LayerNorms

  // Attention, Latent, Lightning and Delta. The widths are those of one head.
  std::int64_t heads = 0, kv_heads = 0, key = 0, value = 0;
  std::int64_t window = 0;  // tokens that a token can attend to; 0: all
  bool is_chunked = false;  // `window` is the size of chunks that do not see each other
  bool q_bias = false, k_bias = false, v_bias = false, out_bias = false;
  bool is_gated = false;   // the query projection also makes a gate
  bool has_sinks = false;  // one learned logit per head
  QkNorm qk_norm = QkNorm::None;
  bool qk_norm_bias = false;
  bool shares_cache = false;      // attends to the keys and values of an earlier layer
  bool value_is_key = false;      // values are the projected keys
  std::int64_t cross_tokens = 0;  // a second attention, to this many tokens of an encoder

  // Latent.
  std::int64_t q_rank = 0;  // 0: queries are projected at once
  std::int64_t kv_rank = 0, rope = 0;
  std::int64_t index_heads = 0, index_head = 0, index_top = 0;  // sparse attention's indexer

  // State spaces, convolutions and RWKV. Of Mamba2 and Delta, states belong to heads.
  std::int64_t inner = 0, state = 0, kernel = 0, groups = 0, step_rank = 0;
  std::int64_t state_heads = 0, state_head = 0;
  bool conv_bias = false, project_bias = false;
  bool step_norms = false;  // norms of the step and of B and C (Jamba)
  // Delta: the rank of the matrices that make a decay per channel and the gate (Kimi); 0: none.
  std::int64_t gate_rank = 0;

  // MLP, or one expert. `shared` is the width of the experts that every token passes.
  std::int64_t ffn = 0;
  std::int64_t curve = 0;  // numbers that its curve has learned
  bool mlp_bias = false;
  std::int64_t experts = 0, chosen = 0, shared = 0;
  bool router_scales = false;     // one of the router's input and one per expert
  std::int64_t expert_input = 0;  // width of the latent that experts work on; 0: the model's
  bool gated_experts = true, expert_bias = false, router_bias = false, shared_gate = false;

  // Beside attention and the MLP (Gemma 3n and 4).
  int extra_norms = 0;               // vectors as wide as the model
  std::int64_t side_input = 0;       // width of its own part of a second embedding
  std::int64_t low_rank = 0;         // rank of a path beside attention
  std::int64_t streams = 0;          // copies of the residual stream that it mixes
  std::int64_t stream_matrices = 0;  // square matrices that begin or end these copies

  friend bool operator==(const Layer&, const Layer&) = default;
};

// Weights beside the decoder: an encoder, a vision tower. They are loaded, but no token of text
// passes them.
struct Tower {
  std::string name;
  std::int64_t parameters = 0;
};

enum class Part : std::uint8_t { Embedding, Head, Attention, State, Mlp, Router, Shared, Experts };
std::string_view name_of(Part part);

// How a file stores a matrix.
struct StoredMatrix {
  Part part = Part::Attention;
  std::string_view name;  // as Matrix has it
  double elements = 0, bytes = 0;
};

struct Network {
  std::string name;          // as the caller named it
  std::string architecture;  // `LlamaForCausalLM`
  std::int64_t hidden = 0, vocab = 0;
  std::int64_t max_context = 0;  // positions that the model was made for; 0: not stated
  std::vector<Layer> layers;
  bool has_head = true;  // predicts tokens
  bool tied = false;     // the head is the embedding
  bool head_bias = false;
  int final_norms = 1;          // vectors as wide as the model
  int embedding_norms = 0;      // likewise
  std::int64_t positions = 0;   // rows of a learned table
  std::int64_t side_vocab = 0;  // entries of a second embedding, as wide as all `side_input`
  bool is_fused = false;        // one matrix for queries, keys and values
  std::int64_t extra_layers =
      0;  // layers for multi-token prediction in the files, not counted here
  std::vector<Tower> towers;
  std::string weights = "bf16";  // the type of the weights, as its files say: a name of a scheme
  bool is_gguf = false;
  // If the weights file says how each matrix is stored: the matrices by layer, then those outside
  // layers.
  std::vector<std::vector<StoredMatrix>> stored;
  std::vector<StoredMatrix> stored_outside;
  std::vector<std::string> notes;  // sentences about what was read
};

}  // namespace strata::llm
